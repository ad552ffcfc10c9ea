import type { Calibrated } from "../domain/calibrated.ts";
import { directionOf } from "../domain/trade.ts";
import { rescaledShortfall } from "./scenarios/horizon-tails.ts";
import type { HorizonTail } from "./tails/var.ts";

export const GREEKS_CALIBRATION = {
  exitAmortisationDays: {
    value: 7,
    unit: "days",
    source: "chosen: the longest horizon of the risk figures; spreads the exit cost over a holding period",
    fittedOn: "not fitted: chosen 2026-11",
  },
  /** One point of annual volatility. */
  volatilityStep: {
    value: 0.01,
    unit: "fraction per sqrt year",
    source: "convention: vega per volatility point",
    fittedOn: "not fitted: a convention, chosen 2026-11",
  },
} as const satisfies Record<string, Calibrated>;

export interface GreeksInputs {
  /** Signed coins. */
  readonly sizeBase: number;
  readonly notionalUsd: number;
  readonly markPrice: number;
  /** Signed coins of the position that the trade leaves, whose liquidation price it is: a reducing trade is of the other side. */
  readonly leftBase: number;
  readonly liquidationPrice: number | null;
  /** 24-hour tail of the side that the trade is of; null when there is no model. */
  readonly tail24h: Pick<HorizonTail, "expectedShortfall99" | "doubledShortfall99"> | null;
  /** Annual volatility forecast over 24 hours. */
  readonly sigmaAnnual: number | null;
  /** What a long pays over the next 24 hours, fraction of notional, of which what only reduces bears none. */
  readonly longFundingDrag24hFraction: number;
  /** The same share of the cost of leaving, as a fraction of notional. */
  readonly exitCostFraction: number;
}

/** Sensitivities of a linear perpetual. */
export interface Greeks {
  /** USD per 1 USD of price: the signed coins. */
  readonly deltaBase: number;
  /** Exactly 0: the contract is linear. */
  readonly gamma: 0;
  /** Change of -ES99 (24 h) for one more point of volatility; a perpetual's own PnL has no vega. USD, <= 0. */
  readonly vegaUsd: number;
  /** -(expected funding paid over 24 hours + a day's share of the exit cost). USD per day. */
  readonly thetaUsd: number;
  /** d(liquidation distance) / d(relative price move): P_liq / P for a long that is left, -P_liq / P for a short; 0 without one. */
  readonly liquidationGamma: number;
}

export function greeksOf(inputs: GreeksInputs): Greeks {
  const side = Math.sign(inputs.sizeBase);
  const { exitAmortisationDays } = GREEKS_CALIBRATION;
  const { liquidationPrice } = inputs;
  const fundingUsd = side * inputs.longFundingDrag24hFraction * inputs.notionalUsd;
  const exitUsd = (inputs.exitCostFraction * inputs.notionalUsd) / exitAmortisationDays.value;
  return {
    deltaBase: inputs.sizeBase,
    gamma: 0,
    vegaUsd: vegaUsdOf(inputs),
    thetaUsd: -(fundingUsd + exitUsd),
    liquidationGamma:
      liquidationPrice === null ? 0 : (Math.sign(inputs.leftBase) * liquidationPrice) / inputs.markPrice,
  };
}

/** -(ES99(sigma + step) - ES99(sigma)): log returns grow with sigma, so that a short loses more by it than a long. */
function vegaUsdOf({ sizeBase, notionalUsd, tail24h, sigmaAnnual }: GreeksInputs): number {
  if (tail24h === null || sigmaAnnual === null || sigmaAnnual <= 0 || sizeBase === 0) return 0;
  const { expectedShortfall99, doubledShortfall99 } = tail24h;
  const ratio = 1 + GREEKS_CALIBRATION.volatilityStep.value / sigmaAnnual;
  const raised = rescaledShortfall(expectedShortfall99, doubledShortfall99, ratio, directionOf(sizeBase));
  return (expectedShortfall99 - raised) * notionalUsd;
}
