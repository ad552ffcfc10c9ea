import { REGIME_LOGIT, REGIME_SHARES, type RegimeFeatures } from "../regime/liquidity-regime.ts";
import type { Evidence, FitFinding } from "./fit-finding.ts";
import {
  CRISIS_DATES,
  type Cutpoints,
  type RegimeHours,
  type RegimeRun,
  runRegimes,
  type Shares,
} from "./regime-run.ts";

const [NORMAL_SHARE, STRESSED_SHARE, CRISIS_SHARE] = REGIME_SHARES.value;
const CRISIS_WITHIN_HOURS = 2;
const ROUNDS = 8;
const STEPS = 12;
const START: Cutpoints = [2.4, 4.5];
const CUT_STEP = 0.1;
const CUT_MIN = -2;
const CUT_MAX = 14;

/**
 * Cut points with which history spends 90 % of its hours in normal, 8.5 % in stressed and 1.5 % in crisis, and every
 * recorded crash is a crisis within two hours: where the two disagree the crash counts and the share of crisis is
 * larger. They are adopted when those of the first half miss the shares of the second by less than the ones in force
 * do, and no more crashes are recognised late; what is then adopted is fitted on all hours.
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
  const misses = late.every(({ hours }) => hours.length === 0)
    ? "no hour has a score, which looks back 90 days"
    : `${(100 * missOf(lateOfEarly)).toFixed(0)} % against ${(100 * missOf(lateInForce)).toFixed(0)} % of the wanted share`;
  return {
    fitted,
    method:
      "cuts of the ordered logit at which recorded hours are 90 % normal, 8.5 % stressed and 1.5 % crisis, crisis more often where a recorded crash would be recognised after two hours",
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
      secondHalfCrisisDelayHoursOfFirstHalf: delaysText(lateOfEarly),
      ...evidenceOf("inForce", ours),
      ...evidenceOf("fitted", theirs),
    },
  };
}

/** Each cut moves one share monotonically, so they are found by turns of bisection. */
function cutpointsOf(assets: readonly RegimeHours[]): Cutpoints {
  let [lower, upper] = START;
  const lowerWith = (top: number): number =>
    rootOf((cut) => runRegimes(assets, [cut, Math.max(top, cut + CUT_STEP)]).shares.normal - NORMAL_SHARE);
  for (let round = 0; round < ROUNDS; round++) {
    const before = [lower, upper];
    lower = lowerWith(upper);
    const crisisCut = rootOf(
      (cut) => CRISIS_SHARE - runRegimes(assets, [Math.min(lower, cut - CUT_STEP), cut]).shares.crisis,
    );
    upper = Math.max(lower + CUT_STEP, crisisCut);
    if (Math.abs(lower - before[0]!) + Math.abs(upper - before[1]!) < 0.02) break;
  }
  return earlierThan(assets, [lower, upper], lowerWith);
}

/** Lowers the upper cut until no recorded crash is late; stays where no cut would help. */
function earlierThan(
  assets: readonly RegimeHours[],
  cutpoints: Cutpoints,
  lowerWith: (upper: number) => number,
): Cutpoints {
  let [lower, upper] = cutpoints;
  while (lateDates(runRegimes(assets, [lower, upper])) > 0) {
    upper -= CUT_STEP;
    if (upper < lower + CUT_STEP) return hundredths(cutpoints);
    lower = Math.min(lowerWith(upper), upper - CUT_STEP);
  }
  return hundredths([lower, upper]);
}

function hundredths([lower, upper]: Cutpoints): Cutpoints {
  return [Math.round(100 * lower) / 100, Math.round(100 * upper) / 100];
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
  return `${String(hours.length)} asset-hours of ${[...new Set(assets.map(({ asset }) => asset))].join(", ")}; known in them: volatility ${withScore("volatility")}, market-wide volatility ${withScore("marketVolatility")}, funding ${withScore("funding")}, spread ${withScore("spread")}, depth ${withScore("depth")}, open interest ${withScore("openInterest")}`;
}

/** Largest miss of the two tails' shares, as a fraction of what is wanted. */
function missOf({ shares }: RegimeRun): number {
  const stressedOrWorse = STRESSED_SHARE + CRISIS_SHARE;
  return Math.max(
    Math.abs((1 - shares.normal) / stressedOrWorse - 1),
    Math.abs(shares.crisis / CRISIS_SHARE - 1),
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
  return `${String(lateDates(theirs))} of ${String(theirs.delays.size)} crisis dates late, before ${String(lateDates(ours))}`;
}

function listed({ normal, stressed, crisis }: Shares): readonly number[] {
  return [normal, stressed, crisis];
}

function evidenceOf(name: string, { shares, sharesWithBook, delays }: RegimeRun): Evidence {
  return {
    [`${name}Shares`]: listed(shares),
    ...(Number.isNaN(sharesWithBook.normal) ? {} : { [`${name}SharesWithBook`]: listed(sharesWithBook) }),
    [`${name}CrisisDelayHours`]: delaysText({ delays }),
  };
}

function delaysText({ delays }: Pick<RegimeRun, "delays">): string {
  return CRISIS_DATES.map((date) => {
    const hours = delays.get(date);
    if (hours === undefined) return `${date}: not recorded`;
    return `${date}: ${Number.isFinite(hours) ? `${String(hours)} h` : "never"}`;
  }).join(", ");
}
