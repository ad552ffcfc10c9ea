import {
  initialLiquidityRegime,
  type LiquidityRegime,
  REGIME_LOGIT,
  type RegimeFeatures,
  updateLiquidityRegime,
} from "../regime/liquidity-regime.ts";
import type { Evidence, FitFinding } from "./fit-finding.ts";

/** One asset's hours as the regime sees them, as far as they were recorded. */
export interface RegimeHours {
  readonly asset: string;
  readonly hours: readonly RegimeHour[];
}

export interface RegimeHour {
  readonly timeMs: number;
  /** Null where a score was not recorded or is not known yet. */
  readonly features: RegimeFeatures;
  readonly returnInSigmas: number;
  readonly logReturn: number;
  /** Part of a crash that was recorded by itself: it has a date and no share of an ordinary history. */
  readonly isEpisode: boolean;
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
const ROUNDS = 8;
const STEPS = 12;
const CUT_MIN = -2;
const CUT_MAX = 14;

export type Cutpoints = readonly [number, number];

type Shares = Readonly<Record<LiquidityRegime, number>>;

interface RegimeRun {
  readonly shares: Shares;
  /** Of the hours in which a book was recorded; NaN without one. */
  readonly sharesWithBook: Shares;
  /** Per date in the data: hours from its worst hour until half of the assets were in crisis; Infinity for never. */
  readonly delays: ReadonlyMap<string, number>;
}

/**
 * Cut points with which history spends 90 % of its hours in normal, 8.5 % in stressed and 1.5 % in crisis. They are
 * adopted when those of the first half miss the shares of the second by less than the ones in force do, and no more
 * crisis dates are recognised late; what is then adopted is fitted on all hours.
 */
export function fitRegimeCutpoints(assets: readonly RegimeHours[]): FitFinding<Cutpoints> {
  const inForce = REGIME_LOGIT.value.cutpoints;
  const middleMs = middleOf(assets);
  const early = during(assets, (timeMs) => timeMs < middleMs);
  const late = during(assets, (timeMs) => timeMs >= middleMs);
  const ofEarly = cutpointsOf(early);
  const fitted = cutpointsOf(assets);
  const lateInForce = runRegimes(late, inForce);
  const lateOfEarly = runRegimes(late, ofEarly);
  const ours = runRegimes(assets, inForce);
  const theirs = runRegimes(assets, fitted);
  const isNearer = missOf(lateOfEarly) < missOf(lateInForce);
  const isAdopted = isNearer && lateDates(theirs) <= lateDates(ours);
  const misses = `${(100 * missOf(lateOfEarly)).toFixed(0)} % against ${(100 * missOf(lateInForce)).toFixed(0)} % of the wanted share`;
  return {
    fitted,
    method: "cuts of the ordered logit at which recorded hours are 90 % normal, 8.5 % stressed, 1.5 % crisis",
    standardError: null,
    isAdopted,
    verdict: isAdopted
      ? `cut points of the first half miss the second half's shares by less, ${misses}, with ${datesOf(theirs, ours)}`
      : isNearer
        ? `nearer shares, ${misses}, but ${datesOf(theirs, ours)}`
        : `cut points of the first half do not come nearer to the second half's shares: ${misses}`,
    data: dataOf(assets),
    evidence: {
      cutpointsOfFirstHalf: ofEarly,
      secondHalfSharesInForce: listed(lateInForce.shares),
      secondHalfSharesOfFirstHalf: listed(lateOfEarly.shares),
      ...evidenceOf("inForce", ours),
      ...evidenceOf("fitted", theirs),
    },
  };
}

/** Each cut moves one share monotonically, so they are found by turns of bisection. */
function cutpointsOf(assets: readonly RegimeHours[]): Cutpoints {
  let [lower, upper] = [...REGIME_LOGIT.value.cutpoints] as [number, number];
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
  return [Math.round(100 * lower) / 100, Math.round(100 * upper) / 100];
}

/** Walks every asset's hours through the filter. */
export function runRegimes(assets: readonly RegimeHours[], cutpoints: Cutpoints): RegimeRun {
  const logit = { ...REGIME_LOGIT.value, cutpoints };
  const counts = { normal: 0, stressed: 0, crisis: 0 };
  const countsWithBook = { normal: 0, stressed: 0, crisis: 0 };
  const perDate = new Map<string, number[]>();
  for (const { hours } of assets) {
    let regime = initialLiquidityRegime();
    let beforeMs = hours[0]?.timeMs ?? 0;
    const crises: number[] = [];
    for (const hour of hours) {
      const alarms = { returnInSigmas: hour.returnInSigmas, depthRatio: null };
      regime = updateLiquidityRegime(
        regime,
        hour.features,
        alarms,
        (hour.timeMs - beforeMs) / HOUR_MS,
        logit,
      );
      beforeMs = hour.timeMs;
      if (!hour.isEpisode) {
        counts[regime.state]++;
        if (hour.features.depth !== null) countsWithBook[regime.state]++;
      }
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
  return {
    shares: sharesOf(counts),
    sharesWithBook: sharesOf(countsWithBook),
    delays: new Map([...perDate].map(([date, delays]) => [date, medianOf(delays)])),
  };
}

function sharesOf({ normal, stressed, crisis }: Shares): Shares {
  const total = normal + stressed + crisis;
  return { normal: normal / total, stressed: stressed / total, crisis: crisis / total };
}

function middleOf(assets: readonly RegimeHours[]): number {
  const times = Float64Array.from(assets.flatMap(({ hours }) => hours.map(({ timeMs }) => timeMs))).sort();
  return times[times.length >>> 1]!;
}

function during(
  assets: readonly RegimeHours[],
  isInside: (timeMs: number) => boolean,
): readonly RegimeHours[] {
  return assets.map(({ asset, hours }) => ({ asset, hours: hours.filter(({ timeMs }) => isInside(timeMs)) }));
}

function dataOf(assets: readonly RegimeHours[]): string {
  const hours = assets.flatMap((one) => one.hours);
  const withScore = (name: keyof RegimeFeatures): string =>
    String(hours.filter(({ features }) => features[name] !== null).length);
  const names = [...new Set(assets.map(({ asset }) => asset))];
  return `${String(hours.length)} asset-hours of ${names.join(", ")}; known in them: volatility ${withScore("volatility")}, market-wide volatility ${withScore("marketVolatility")}, funding ${withScore("funding")}, spread ${withScore("spread")}, depth ${withScore("depth")}, open interest ${withScore("openInterest")}`;
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

function datesOf(theirs: RegimeRun, ours: RegimeRun): string {
  const count = String(theirs.delays.size);
  return `${String(lateDates(theirs))} of ${count} crisis dates late, before ${String(lateDates(ours))}`;
}

function listed({ normal, stressed, crisis }: Shares): readonly number[] {
  return [normal, stressed, crisis];
}

function evidenceOf(name: string, { shares, sharesWithBook, delays }: RegimeRun): Evidence {
  return {
    [`${name}Shares`]: listed(shares),
    ...(Number.isNaN(sharesWithBook.normal) ? {} : { [`${name}SharesWithBook`]: listed(sharesWithBook) }),
    [`${name}CrisisDelayHours`]: CRISIS_DATES.map((date) => {
      const hours = delays.get(date);
      if (hours === undefined) return `${date}: not recorded`;
      return `${date}: ${Number.isFinite(hours) ? `${String(hours)} h` : "never"}`;
    }).join(", "),
  };
}
