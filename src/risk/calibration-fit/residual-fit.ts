import { EXCURSION_MAX, RESIDUAL_MAX } from "../scenarios/residual-pool.ts";
import type { FitFinding } from "./fit-finding.ts";

/** An hour in which one asset moved far beyond what was expected of it. */
export interface LargeMove {
  readonly asset: string;
  readonly hour: number;
  /** |return| in forecast deviations. */
  readonly residual: number;
  /** Larger of fall to the low and rise to the high, likewise. */
  readonly excursion: number;
}

/** A move this large of another asset in the same hour says that the print was the market and not a mistake. */
const CONFIRMING = 5;

/** The least cap of |z| that cuts no confirmed move. */
export function fitResidualMax(
  moves: readonly LargeMove[],
  assetHours: number,
  data: string,
): FitFinding<number> {
  return capOf(moves, ({ residual }) => residual, RESIDUAL_MAX.value, assetHours, data);
}

/** The least cap of the hour's extremes that cuts no confirmed move. */
export function fitExcursionMax(
  moves: readonly LargeMove[],
  assetHours: number,
  data: string,
): FitFinding<number> {
  return capOf(moves, ({ excursion }) => excursion, EXCURSION_MAX.value, assetHours, data);
}

function capOf(
  moves: readonly LargeMove[],
  sizeOf: (move: LargeMove) => number,
  inForce: number,
  assetHours: number,
  data: string,
): FitFinding<number> {
  const movers = new Map<number, Set<string>>();
  for (const { asset, hour, residual } of moves) {
    if (residual > CONFIRMING) movers.set(hour, (movers.get(hour) ?? new Set()).add(asset));
  }
  const confirmed = moves.filter(({ asset, hour }) => {
    const others = movers.get(hour);
    return others !== undefined && others.size > (others.has(asset) ? 1 : 0);
  });
  const largestConfirmed = Math.max(0, ...confirmed.map(sizeOf));
  const largest = Math.max(0, ...moves.map(sizeOf));
  const fitted = Math.ceil(largestConfirmed);
  const confirmedBeyond = confirmed.filter((move) => sizeOf(move) > inForce).length;
  return {
    fitted,
    method: "largest move that another coin confirms by one of its own in the same hour",
    standardError: null,
    // A survey of moves cannot say what a wider cap does to the tails that are forecast: the backtest can.
    isAdopted: false,
    verdict: `it cuts ${String(confirmedBeyond)} of ${String(assetHours)} hours that another coin confirms; a wider cap is for the backtest to judge`,
    data,
    evidence: {
      assetHours,
      beyondCap: moves.filter((move) => sizeOf(move) > inForce).length,
      confirmedBeyondCap: confirmedBeyond,
      largest,
      largestConfirmed,
    },
  };
}
