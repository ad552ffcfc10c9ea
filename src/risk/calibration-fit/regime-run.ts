import { DAY_MS, HOUR_MS } from "../../domain/bar.ts";
import {
  initialLiquidityRegime,
  type LiquidityRegime,
  REGIME_LOGIT,
  type RegimeFeatures,
  updateLiquidityRegime,
} from "../regime/liquidity-regime.ts";

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

export type Cutpoints = readonly [number, number];

export type Shares = Readonly<Record<LiquidityRegime, number>>;

export interface RegimeRun {
  readonly shares: Shares;
  /** Of the hours in which a book was recorded; NaN without one. */
  readonly sharesWithBook: Shares;
  /** Per date in the data: hours from its worst hour until half of the assets were in crisis; Infinity for never. */
  readonly delays: ReadonlyMap<string, number>;
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
    delays: new Map([...perDate].map(([date, delays]) => [date, upperMedianOf(delays)])),
  };
}

function sharesOf({ normal, stressed, crisis }: Shares): Shares {
  const total = normal + stressed + crisis;
  return { normal: normal / total, stressed: stressed / total, crisis: crisis / total };
}

/** The upper one of the two in the middle, unlike medianOf: a delay that an asset had, and what the cut points were chosen by. */
function upperMedianOf(values: readonly number[]): number {
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
