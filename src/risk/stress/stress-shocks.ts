import type { AssetListing } from "../../domain/asset.ts";
import type { Calibrated } from "../../domain/calibrated.ts";
import { clamp } from "../../math/clamp.ts";
import { quantileOfSorted } from "../../math/quantile.ts";
import type { AssetClass, StressScenario } from "./stress-scenario.ts";
import { STRESS_SCENARIOS } from "./stress-scenarios.ts";

export const STRESS_CALIBRATION = {
  /** Leverage that the exchange grants from this liquidity on. */
  largeLeverageMin: {
    value: 10,
    unit: "maximum leverage",
    source: "Exchange universe 2026-01: 10x and more are the some 50 most liquid coins",
    fittedOn: "not fitted: chosen 2026-11",
  },
  tailShare: {
    value: 0.05,
    unit: "fraction of hours",
    source: "chosen: BTC's worst 5 % of hours",
    fittedOn: "not fitted: chosen 2026-11",
  },
  tailHoursMin: {
    value: 20,
    unit: "hours",
    source: "chosen: 17 days of history",
    fittedOn: "not fitted: chosen 2026-11",
  },
  betaOwnShare: {
    value: 0.5,
    unit: "weight of the asset's own estimate",
    source: "chosen: shrinks half way to its class's",
    fittedOn: "not fitted: chosen 2026-11",
  },
  betaMin: {
    value: 0.5,
    unit: "return per return of BTC",
    source: "chosen",
    fittedOn: "not fitted: chosen 2026-11",
  },
  betaMax: {
    value: 2.5,
    unit: "return per return of BTC",
    source: "chosen",
    fittedOn: "not fitted: chosen 2026-11",
  },
  /** Largest rise: JELLY's, the largest on record here. */
  moveMax: {
    value: 3,
    unit: "fraction of price",
    source: "JELLY, 2025-03-26: more than four times its price",
    fittedOn: "not fitted: chosen 2026-11",
  },
} as const satisfies Record<string, Calibrated>;

/** Beta that each class's moves stand for; an asset with another beta moves by the difference. */
export const CLASS_BETA: Calibrated<Readonly<Record<AssetClass, number>>> = {
  value: { btc: 1, eth: 1.15, large: 1.3, small: 1.3 },
  unit: "return per return of BTC",
  source: "chosen: the centre of alt betas in falling hours; ETH between it and BTC",
  fittedOn: "not fitted: chosen 2026-11",
};

/** An asset's moves under every scenario, in the order of STRESS_SCENARIOS. Simple returns, above -1. */
export interface StressShocks {
  readonly moves: Float64Array;
  /** Where every asset stands at the worst moment on the way; the end's move where prices do not come back. */
  readonly excursions: Float64Array;
}

function assetClassOf(listing: Pick<AssetListing, "ticker" | "maxLeverage">): AssetClass {
  if (listing.ticker === "BTC") return "btc";
  if (listing.ticker === "ETH") return "eth";
  return listing.maxLeverage >= STRESS_CALIBRATION.largeLeverageMin.value ? "large" : "small";
}

/**
 * Beta of an asset in BTC's worst 5 % of hours: sum(r r_btc) / sum(r_btc^2) over them; null when there are too few.
 *
 * Shapes:  log returns of the same hours, one to one; NaN where an hour is missing
 */
export function tailBetaOf(returns: Float64Array, btcReturns: Float64Array): number | null {
  const { tailShare, tailHoursMin } = STRESS_CALIBRATION;
  const isUsable = (r: number, i: number): boolean => Number.isFinite(r) && Number.isFinite(returns[i]);
  const btcUsable = btcReturns.filter(isUsable);
  if (btcUsable.length * tailShare.value < tailHoursMin.value) return null;
  const threshold = quantileOfSorted(btcUsable.toSorted(), tailShare.value);
  let crossSum = 0;
  let squareSum = 0;
  for (let i = 0; i < btcReturns.length; i++) {
    const btcReturn = btcReturns[i]!;
    if (!isUsable(btcReturn, i) || btcReturn > threshold) continue;
    crossSum += btcReturn * returns[i]!;
    squareSum += btcReturn * btcReturn;
  }
  return squareSum > 0 ? crossSum / squareSum : null;
}

/** The asset's move under each scenario, by its beta as tailBetaOf gives it. */
export function buildStressShocks(
  listing: Pick<AssetListing, "ticker" | "maxLeverage">,
  tailBeta: number | null,
): StressShocks {
  const assetClass = assetClassOf(listing);
  const beta = shrunkBeta(tailBeta, assetClass);
  const moves = Float64Array.from(STRESS_SCENARIOS, (scenario) =>
    moveOf(scenario, scenario.moves, listing.ticker, assetClass, beta),
  );
  const excursions = Float64Array.from(STRESS_SCENARIOS, (scenario) =>
    moveOf(scenario, scenario.excursions ?? scenario.moves, listing.ticker, assetClass, beta),
  );
  return { moves, excursions };
}

/** Half way to the class's, within [0.5, 2.5]; BTC's is 1 by definition. */
function shrunkBeta(tailBeta: number | null, assetClass: AssetClass): number {
  const ofClass = CLASS_BETA.value[assetClass];
  if (tailBeta === null || assetClass === "btc") return ofClass;
  const { betaOwnShare, betaMin, betaMax } = STRESS_CALIBRATION;
  const shrunk = betaOwnShare.value * tailBeta + (1 - betaOwnShare.value) * ofClass;
  return clamp(shrunk, betaMin.value, betaMax.value);
}

/** In logarithms: the class's move plus (beta - class beta) x BTC's, so that no price falls below 0. */
function moveOf(
  scenario: StressScenario,
  classMoves: Readonly<Record<AssetClass, number>>,
  ticker: string,
  assetClass: AssetClass,
  beta: number,
): number {
  const known = scenario.coinMoves[ticker];
  if (known !== undefined) return known;
  const classMove = classMoves[assetClass];
  if (!scenario.isSystemic) return classMove;
  const excessBeta = beta - CLASS_BETA.value[assetClass];
  const logMove = Math.log1p(classMove) + excessBeta * Math.log1p(classMoves.btc);
  return Math.min(STRESS_CALIBRATION.moveMax.value, Math.expm1(logMove));
}
