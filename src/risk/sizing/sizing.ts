import type { Calibrated } from "../../domain/calibrated.ts";
import type { Direction } from "../../domain/trade.ts";
import { FLOORS, SCORE, SIZING_LIMITS } from "../calibration/calibration.ts";
import { notionalAtImpactUsd } from "../liquidity/impact.ts";
import type { OpenInterestFacts } from "../liquidity/open-interest.ts";
import { clamp } from "../../math/clamp.ts";
import { rampValue } from "../../math/ramp.ts";
import { largestWithin, SIZE_FLOOR_USD, type SlackOfSize } from "./size-search.ts";
import { notionalAtSlippageUsd } from "../liquidity/slippage-limit.ts";
import {
  halfSpreadFractionOf,
  sideDepthUsd,
  SLIPPAGE_CALIBRATION,
  type SlippageMarket,
  takenSideOf,
} from "../liquidity/slippage.ts";

export const SIZING_CALIBRATION = {
  slippageMax: {
    value: 0.0025,
    unit: "fraction of mid",
    source: "chosen: 25 bps",
    fittedOn: "not fitted: chosen 2026-11",
  },
  slippageSigmaShare: {
    value: 0.25,
    unit: "multiple of 1-hour sigma",
    source: "chosen: a quarter of an ordinary hour",
    fittedOn: "not fitted: chosen 2026-11",
  },
  depthShareMax: {
    value: 0.25,
    unit: "fraction of the traded side's depth within 100 bps",
    source: "chosen",
    fittedOn: "not fitted: chosen 2026-11",
  },
  capRoomShareMax: {
    value: 0.2,
    unit: "fraction of the room to the open-interest cap",
    source: "chosen",
    fittedOn: "not fitted: chosen 2026-11",
  },
  openInterestShareMax: {
    value: 0.05,
    unit: "fraction of open interest",
    source: "chosen",
    fittedOn: "not fitted: chosen 2026-11",
  },
  freeMarginShareMax: {
    value: 0.9,
    unit: "fraction of free margin",
    source: "chosen: a tenth is left for the first adverse move",
    fittedOn: "not fitted: chosen 2026-11",
  },
  impactSigmaShareMax: {
    value: 0.5,
    unit: "multiple of 1-hour sigma",
    source: "chosen: half an ordinary hour",
    fittedOn: "not fitted: chosen 2026-11",
  },
  /** An asset without a volatility is sized as a wild one. */
  sigmaHourUnknown: {
    value: 0.01,
    unit: "fraction per sqrt hour",
    source: "chosen: about 94 % a year",
    fittedOn: "not fitted: chosen 2026-11",
  },
  suggestedShare: {
    value: 0.6,
    unit: "fraction of the largest safe size",
    source: "chosen: safety margin",
    fittedOn: "not fitted: chosen 2026-11",
  },
  scoreRoomShareMax: {
    value: 0.5,
    unit: "fraction of the points that the smallest order leaves in the proceed band",
    source: "chosen: a suggestion keeps its margin of points as long as the smallest order leaves twice that",
    fittedOn: "not fitted: chosen 2026-11",
  },
} as const satisfies Record<string, Calibrated>;

/** The search stops when the bracket is this narrow: at most 12 and 10 halvings below 100 million USD. */
const MARGIN_PRECISION = 0.005;
const SCORE_PRECISION = 0.02;
/** high_impact is raised at its limit: of a size at it, rounding would decide. */
const JUST_BELOW = 1 - 1e-9;

/** In the order in which ties are decided. */
export type SizeLimitReason = "book_depth" | "oi_capacity" | "margin_headroom" | "market_impact";

export interface SizingInputs {
  readonly market: SlippageMarket;
  readonly direction: Direction;
  readonly sigmaHour: number | null;
  readonly openInterest: OpenInterestFacts;
  /** Of the held position, what the order would only reduce: it needs no margin and no room below the cap. */
  readonly reducibleUsd: number;
  /** What the account's margin opens beside it at the trade's leverage. */
  readonly openableUsd: number;
  /** The exchange's and the contract's largest order. */
  readonly notionalMaxUsd: number;
  /** What a trade of a size leaves the account to the nearest of its risk limits. */
  readonly accountRiskSlack: SlackOfSize;
  /** Points that the score of a size leaves to the end of the proceed band. */
  readonly bandSlack: SlackOfSize;
}

export interface Sizing {
  readonly maxSafeSizeUsd: number;
  readonly suggestedSizeUsd: number;
  readonly reason: SizeLimitReason;
  /** The largest size that each constraint allows; the margin alone, where the account's risk allows all that the others do. */
  readonly limitsUsd: Readonly<Record<SizeLimitReason, number>>;
}

/** Largest size within every limit, the one that binds, and a smaller suggestion. Holds: 0 <= suggested <= max safe. */
export function sizingOf(inputs: SizingInputs): Sizing {
  const bookUsd = bookDepthLimitUsd(inputs);
  const openInterestUsd = openInterestLimitUsd(inputs);
  const impactUsd = impactLimitUsd(inputs);
  const limitsUsd = {
    book_depth: bookUsd,
    oi_capacity: openInterestUsd,
    margin_headroom: marginLimitUsd(inputs, Math.min(bookUsd, openInterestUsd, impactUsd)),
    market_impact: impactUsd,
  };
  let reason: SizeLimitReason = "book_depth";
  for (const name of ["oi_capacity", "margin_headroom", "market_impact"] as const) {
    if (limitsUsd[name] < limitsUsd[reason]) reason = name;
  }
  const maxSafeSizeUsd = limitsUsd[reason];
  const suggestedUsdMax = SIZING_CALIBRATION.suggestedShare.value * maxSafeSizeUsd;
  const suggestedSizeUsd = insideBandUsd(suggestedUsdMax, inputs.bandSlack);
  return { maxSafeSizeUsd, suggestedSizeUsd, reason, limitsUsd };
}

/**
 * The largest size whose score stays five points inside the proceed band or, where the smallest order leaves less than twice
 * that, half of what it leaves: a margin of five points that stopped there would suggest more in a riskier market.
 */
function insideBandUsd(upperUsd: number, bandSlack: SlackOfSize): number {
  const marginMax = SIZING_LIMITS.scoreMargin.value;
  const upperSlack = bandSlack(upperUsd);
  if (upperSlack >= marginMax) return upperUsd;
  const floorSlack = bandSlack(SIZE_FLOOR_USD);
  const margin = clamp(SIZING_CALIBRATION.scoreRoomShareMax.value * floorSlack, 0, marginMax);
  // A score is dear, and the search asks for both ends again.
  return largestWithin(upperUsd, SCORE_PRECISION, (usd) => {
    if (usd === upperUsd) return upperSlack - margin;
    return (usd === SIZE_FLOOR_USD ? floorSlack : bandSlack(usd)) - margin;
  });
}

/**
 * Slippage within min(25 bps, a quarter of 1-hour sigma) and at most a quarter of the side's depth within 100 bps or, where
 * that is more, within half of the spread. Half of a spread wider than the slippage limit is paid at any size, so what the
 * best price holds adds nothing to it and is within; nothing is where that half alone takes the score out of the proceed band.
 */
function bookDepthLimitUsd(inputs: SizingInputs): number {
  const { market, direction } = inputs;
  const { book } = market;
  if (book === null) return 0;
  const { slippageMax, slippageSigmaShare, depthShareMax } = SIZING_CALIBRATION;
  const sigmaHour = sigmaHourOf(inputs);
  const limit = Math.min(slippageMax.value, slippageSigmaShare.value * sigmaHour);
  const halfSpread = halfSpreadFractionOf(market, direction);
  const far = Math.max(SLIPPAGE_CALIBRATION.depthFarFraction.value, halfSpread);
  const depthLimitUsd = depthShareMax.value * sideDepthUsd(book, direction, far);
  if (halfSpread <= limit) return Math.min(notionalAtSlippageUsd(book, direction, limit), depthLimitUsd);
  if (slippageFloorPoints(halfSpread, halfSpread / sigmaHour) > SCORE.proceedMax.value) return 0;
  return Math.min(takenSideOf(book, direction).cumulativeUsd[0]!, depthLimitUsd);
}

/** What the score is at least by an entry's slippage alone, as a fraction and in 1-hour volatilities. */
function slippageFloorPoints(fraction: number, sigmas: number): number {
  return Math.max(
    rampValue(FLOORS.slippageFraction.value, fraction),
    rampValue(FLOORS.slippageSigmas.value, sigmas),
  );
}

/** Beside what is only reduced nothing at the cap; else a fifth of the room below it and a twentieth of the open interest. */
function openInterestLimitUsd({ openInterest, reducibleUsd }: SizingInputs): number {
  if (openInterest.isAtCap) return reducibleUsd;
  const { capRoomShareMax, openInterestShareMax } = SIZING_CALIBRATION;
  const roomUsd = Math.max(0, openInterest.capUsd - openInterest.openInterestUsd);
  const openableUsd = Math.min(
    capRoomShareMax.value * roomUsd,
    openInterestShareMax.value * openInterest.openInterestUsd,
  );
  return reducibleUsd + openableUsd;
}

/**
 * What nine tenths of the margin open beside what is only reduced, as far as the account's risk allows. That is asked of
 * sizes that the other constraints allow: a larger order can be safer than a smaller one, a hedge, or margin for a position in
 * danger.
 */
function marginLimitUsd(inputs: SizingInputs, othersUsd: number): number {
  const openableUsd = SIZING_CALIBRATION.freeMarginShareMax.value * inputs.openableUsd;
  const payableUsd = Math.min(inputs.reducibleUsd + openableUsd, inputs.notionalMaxUsd);
  const largestUsd = Math.min(payableUsd, othersUsd);
  const safeUsd = largestWithin(largestUsd, MARGIN_PRECISION, inputs.accountRiskSlack);
  return safeUsd < largestUsd ? safeUsd : payableUsd;
}

function impactLimitUsd(inputs: SizingInputs): number {
  const limit = JUST_BELOW * SIZING_CALIBRATION.impactSigmaShareMax.value * sigmaHourOf(inputs);
  return notionalAtImpactUsd(limit, inputs.market.sigmaDay, inputs.market.volume24hUsd);
}

function sigmaHourOf(inputs: SizingInputs): number {
  return inputs.sigmaHour ?? SIZING_CALIBRATION.sigmaHourUnknown.value;
}
