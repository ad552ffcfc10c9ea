import {
  initialLiquidityRegime,
  type LiquidityRegime,
  REGIME_LOGIT,
  updateLiquidityRegime,
} from "../regime/liquidity-regime.ts";
import type { FitFinding } from "./fit-finding.ts";

/** One asset's hours as the regime sees them where only candles were recorded; null where a score is unknown. */
export interface RegimeHours {
  readonly asset: string;
  readonly hours: readonly RegimeHour[];
}

export interface RegimeHour {
  readonly timeMs: number;
  readonly volatilityScore: number | null;
  readonly marketVolatilityScore: number | null;
  readonly returnInSigmas: number;
  readonly logReturn: number;
}

/** Days on which everybody knew: a crash of the whole market. */
export const CRISIS_DATES = [
  "2020-03-12",
  "2021-05-19",
  "2022-11-08",
  "2024-08-05",
  "2025-10-10",
  "2026-02-05",
] as const;

const SHARES = { normal: 0.9, stressed: 0.085, crisis: 0.015 } as const;
const CRISIS_WITHIN_HOURS = 2;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Off the wanted shares by more than this fraction is a miss. */
const SHARE_MISS_MAX = 0.2;
const ROUNDS = 8;
const STEPS = 12;
const CUT_MIN = -2;
const CUT_MAX = 14;

export type Cutpoints = readonly [number, number];

interface RegimeRun {
  readonly shares: Readonly<Record<LiquidityRegime, number>>;
  /** Per date in the data: hours from its worst hour until half of the assets were in crisis; Infinity for never. */
  readonly delays: ReadonlyMap<string, number>;
}

/**
 * Cut points with which history spends 90 % of its hours in normal, 8.5 % in stressed and 1.5 % in crisis. Each cut
 * moves one share monotonically, so they are found by turns of bisection.
 */
export function fitRegimeCutpoints(assets: readonly RegimeHours[]): FitFinding<Cutpoints> {
  const inForce = REGIME_LOGIT.value.cutpoints;
  let [lower, upper] = [...inForce] as [number, number];
  for (let round = 0; round < ROUNDS; round++) {
    const before = [lower, upper];
    lower = rootOf(
      (cut) => runRegimes(assets, [cut, Math.max(upper, cut + 0.1)]).shares.normal - SHARES.normal,
    );
    upper = Math.max(
      lower + 0.1,
      rootOf((cut) => SHARES.crisis - runRegimes(assets, [Math.min(lower, cut - 0.1), cut]).shares.crisis),
    );
    if (Math.abs(lower - before[0]!) + Math.abs(upper - before[1]!) < 0.02) break;
  }
  const fitted: Cutpoints = [Math.round(100 * lower) / 100, Math.round(100 * upper) / 100];
  const ours = runRegimes(assets, inForce);
  const theirs = runRegimes(assets, fitted);
  const isAdopted = missOf(theirs) < missOf(ours) && lateDates(theirs) <= lateDates(ours);
  return {
    fitted,
    standardError: null,
    isAdopted,
    verdict: isAdopted
      ? `shares nearer to 90 / 8.5 / 1.5 % and ${String(lateDates(theirs))} crisis dates late, before ${String(lateDates(ours))}`
      : missOf(ours) <= SHARE_MISS_MAX
        ? "the cut points in force hold the shares"
        : `nearer shares would make ${String(lateDates(theirs))} crisis dates late instead of ${String(lateDates(ours))}`,
    data: `${String(assets.reduce((sum, { hours }) => sum + hours.length, 0))} asset-hours of ${assets.map(({ asset }) => asset).join(", ")}; volatility and market-wide volatility only, the other four scores were not recorded`,
    evidence: { ...evidenceOf("inForce", ours), ...evidenceOf("fitted", theirs) },
  };
}

/** Walks every asset's hours through the filter. */
export function runRegimes(assets: readonly RegimeHours[], cutpoints: Cutpoints): RegimeRun {
  const logit = { ...REGIME_LOGIT.value, cutpoints };
  const counts = { normal: 0, stressed: 0, crisis: 0 };
  const perDate = new Map<string, number[]>();
  for (const { hours } of assets) {
    let regime = initialLiquidityRegime();
    let beforeMs = hours[0]?.timeMs ?? 0;
    const crises: number[] = [];
    for (const hour of hours) {
      const features = {
        volatility: hour.volatilityScore,
        marketVolatility: hour.marketVolatilityScore,
        spread: null,
        depth: null,
        funding: null,
        openInterest: null,
      };
      const alarms = { returnInSigmas: hour.returnInSigmas, depthRatio: null };
      regime = updateLiquidityRegime(regime, features, alarms, (hour.timeMs - beforeMs) / HOUR_MS, logit);
      beforeMs = hour.timeMs;
      counts[regime.state]++;
      if (regime.state === "crisis") crises.push(hour.timeMs);
    }
    for (const date of CRISIS_DATES) {
      const worstMs = worstHourMs(hours, Date.parse(date));
      if (worstMs === null) continue;
      // In crisis already when the worst hour closes is in time.
      const first = crises.find((timeMs) => timeMs >= worstMs);
      const delay = first === undefined || first > worstMs + DAY_MS ? Infinity : (first - worstMs) / HOUR_MS;
      perDate.set(date, [...(perDate.get(date) ?? []), delay]);
    }
  }
  const total = counts.normal + counts.stressed + counts.crisis;
  return {
    shares: {
      normal: counts.normal / total,
      stressed: counts.stressed / total,
      crisis: counts.crisis / total,
    },
    delays: new Map([...perDate].map(([date, delays]) => [date, medianOf(delays)])),
  };
}

/** The upper one of the two in the middle. */
function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >>> 1]!;
}

/** The close of the day's hour with the largest fall; null where the day was not recorded. */
function worstHourMs(hours: readonly RegimeHour[], dayMs: number): number | null {
  let worst: RegimeHour | null = null;
  for (const hour of hours) {
    if (hour.timeMs <= dayMs || hour.timeMs > dayMs + DAY_MS) continue;
    if (worst === null || hour.logReturn < worst.logReturn) worst = hour;
  }
  return worst?.timeMs ?? null;
}

/** Largest miss of the two tails' shares, as a fraction of what is wanted. */
function missOf({ shares }: RegimeRun): number {
  const stressedOrWorse = SHARES.stressed + SHARES.crisis;
  return Math.max(
    Math.abs((1 - shares.normal) / stressedOrWorse - 1),
    Math.abs(shares.crisis / SHARES.crisis - 1),
  );
}

function lateDates({ delays }: RegimeRun): number {
  return [...delays.values()].filter((hours) => hours > CRISIS_WITHIN_HOURS).length;
}

/** Root of a function that rises. */
function rootOf(rising: (at: number) => number): number {
  let low = CUT_MIN;
  let high = CUT_MAX;
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    if (rising(middle) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function evidenceOf(
  name: string,
  { shares, delays }: RegimeRun,
): Record<string, number | readonly number[] | string> {
  return {
    [`${name}Shares`]: [shares.normal, shares.stressed, shares.crisis],
    [`${name}CrisisDelayHours`]: [...delays]
      .map(([date, hours]) => `${date}: ${Number.isFinite(hours) ? `${String(hours)} h` : "never"}`)
      .join(", "),
  };
}
