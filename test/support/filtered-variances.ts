import { updateEwma } from "../../src/risk/volatility/ewma.ts";
import { gaussianObjective, studentTObjective } from "../../src/risk/volatility/garch-likelihood.ts";
import { coefficientsOfGjr } from "../../src/risk/volatility/gjr-garch.ts";
import { updateHexp } from "../../src/risk/volatility/hexp.ts";
import type {
  EwmaRecursion,
  GjrGarchRecursion,
  HexpRecursion,
} from "../../src/risk/volatility/variance-recursion.ts";
import { mean } from "../../src/math/moments.ts";

/** A whole series through the service's bar-by-bar updates: h_1 … h_{n+1}; `state` is advanced past the last bar. */
export function filterHexp(
  recursion: HexpRecursion,
  state: Float64Array,
  returns: Float64Array,
  ranges: Float64Array,
): Float64Array {
  const out = new Float64Array(returns.length + 1);
  out[0] = state[0]!;
  returns.forEach((value, t) => {
    out[t + 1] = updateHexp(recursion, state, value, ranges[t]!);
  });
  return out;
}

/** The same from a given h_1; the last is the forecast. */
export function filterEwma(
  recursion: EwmaRecursion,
  returns: Float64Array,
  firstVariance: number,
): Float64Array {
  const out = new Float64Array(returns.length + 1);
  out[0] = firstVariance;
  returns.forEach((value, t) => {
    out[t + 1] = updateEwma(recursion, out[t]!, value);
  });
  return out;
}

/** Log-likelihood of given parameters, h_1 = mean e², no constant dropped; Student t when nu is a number. */
export function gjrLogLikelihood(
  recursion: GjrGarchRecursion,
  residuals: Float64Array,
  nu: number | null,
): number {
  const squares = residuals.map((value) => value * value);
  const coefficients = coefficientsOfGjr(recursion);
  return nu === null
    ? -gaussianObjective(coefficients, residuals, squares, mean(squares))
    : -studentTObjective(coefficients, residuals, squares, mean(squares), nu);
}
