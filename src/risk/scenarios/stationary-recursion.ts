import type { Calibrated } from "../../domain/calibrated.ts";
import type { VarianceRecursion } from "../volatility/variance-recursion.ts";
import { persistenceOf } from "../volatility/variance-recursion.ts";
import type { PathModel } from "./path-kernel.ts";
import type { ResidualPool } from "./residual-pool.ts";
import { TUPLE_LENGTH } from "./residual-pool.ts";

export const PATH_PERSISTENCE_MAX: Calibrated = {
  value: 0.9995,
  unit: "mean growth of variance per hour",
  source:
    "chosen: half-life 58 days; above it a 7-day path explodes for no other reason than a noisy estimate",
  fittedOn: "not fitted: chosen 2026-11",
};

/** Models as paths are drawn with them: no mean that grows for no other reason than a noisy estimate. */
export function stationaryModels(models: readonly PathModel[], pool: ResidualPool): readonly PathModel[] {
  return models.map(({ recursion, state }) => ({ recursion: stationaryRecursion(recursion, pool), state }));
}

/**
 * The recursion with its reaction to news scaled down, if needed, so that the pool's own mean of ξ (or z²) does not
 * make paths grow: reaction × mean + memory <= 0.9995.
 */
export function stationaryRecursion(recursion: VarianceRecursion, pool: ResidualPool): VarianceRecursion {
  let ratio = 0;
  let square = 0;
  for (let at = 0; at < pool.tuples.length; at += TUPLE_LENGTH) {
    const z = pool.tuples[at]!;
    square += (z * z) / pool.windowHours;
    ratio += pool.tuples[at + 3]! / pool.windowHours;
  }
  const limit = PATH_PERSISTENCE_MAX.value;
  switch (recursion.kind) {
    case "range-garch": {
      const cut = reactionCut(recursion.alpha * ratio, limit - recursion.beta);
      if (cut === 1) return recursion;
      const { kind, omega, alpha, asymmetry, beta } = recursion;
      return { kind, omega, alpha: alpha * cut, asymmetry, beta };
    }
    case "gjr-garch": {
      const cut = reactionCut((recursion.alpha + recursion.gamma / 2) * square, limit - recursion.beta);
      if (cut === 1) return recursion;
      const { kind, omega, alpha, gamma, beta } = recursion;
      return { kind, omega, alpha: alpha * cut, gamma: gamma * cut, beta };
    }
    case "ewma": {
      // EWMA has persistence 1 by definition; its news must only not add to that.
      const cut = reactionCut(square, 1);
      const reaction = (1 - recursion.decay) * cut;
      return cut === 1
        ? recursion
        : { kind: "gjr-garch", omega: 0, alpha: reaction, gamma: 0, beta: recursion.decay };
    }
    case "hexp": {
      const cut = reactionCut(persistenceOf(recursion) * ratio, limit);
      if (cut === 1) return recursion;
      const { kind, baseVarianceStep, decays, weights, leverage } = recursion;
      const reduced = weights.map((weight) => weight * cut);
      return { kind, baseVarianceStep, decays, weights: reduced, leverage: leverage * cut };
    }
  }
}

function reactionCut(reaction: number, room: number): number {
  return reaction > room ? Math.max(0, room) / reaction : 1;
}
