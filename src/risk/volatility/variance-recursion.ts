/**
 * How one bar's outcome moves the next bar's variance, for every model of the ladder. All variances are per hourly step
 * in deseasonalised space: a bar in hour t has standard deviation √h · f_t, where f_t is its seasonal factor. Whoever
 * simulates multiplies by f_t on the way out and feeds back only the pure numbers below.
 */
export type VarianceRecursion = RangeGarchRecursion | GjrGarchRecursion | EwmaRecursion | HexpRecursion;

/** h' = ω + α(1 + g s) x + βh with s = +1 after a fall, else −1. `asymmetry` is g. */
export interface RangeGarchRecursion {
  readonly kind: "range-garch";
  readonly omega: number;
  readonly alpha: number;
  readonly asymmetry: number;
  readonly beta: number;
}

/** h' = ω + (α + γ1[r<0]) r² + βh. */
export interface GjrGarchRecursion {
  readonly kind: "gjr-garch";
  readonly omega: number;
  readonly alpha: number;
  readonly gamma: number;
  readonly beta: number;
}

/** h' = λh + (1−λ) r². */
export interface EwmaRecursion {
  readonly kind: "ewma";
  readonly decay: number;
}

/** E_k' = λ_k E_k + (1−λ_k) x; h' = base + Σ b_k E_k' + b_lev x 1[r<0]. `decays` and `weights` run over the same k. */
export interface HexpRecursion {
  readonly kind: "hexp";
  readonly baseVarianceStep: number;
  readonly decays: readonly number[];
  readonly weights: readonly number[];
  readonly leverage: number;
}

/** The recursions whose whole state is h itself. */
export type ScalarVarianceRecursion = Exclude<VarianceRecursion, HexpRecursion>;

/**
 * The next bar's variance h' after a bar of variance h = `varianceStep` whose standardised return was `residual`
 * (z = r/(f√h)) and whose standardised range variance was `rangeRatio` (ξ = x/h, x the scaled Parkinson variance over
 * f²). Substitutes x = hξ and r = √h z, so the result is linear in h apart from ω. Only the sign of z reaches range
 * GARCH, only z² the others; a model that does not use ξ ignores it.
 */
export function varianceNext(
  recursion: ScalarVarianceRecursion,
  varianceStep: number,
  residual: number,
  rangeRatio: number,
): number {
  switch (recursion.kind) {
    case "range-garch": {
      const sign = residual < 0 ? 1 : -1;
      return (
        recursion.omega +
        recursion.alpha * (1 + recursion.asymmetry * sign) * varianceStep * rangeRatio +
        recursion.beta * varianceStep
      );
    }
    case "gjr-garch": {
      const reaction = residual < 0 ? recursion.alpha + recursion.gamma : recursion.alpha;
      return recursion.omega + (reaction * residual * residual + recursion.beta) * varianceStep;
    }
    case "ewma":
      return (recursion.decay + (1 - recursion.decay) * residual * residual) * varianceStep;
  }
}

/** Length of the state vector of a recursion: [h] for the scalar ones, [h, E_1 … E_K] for HExp. */
export function varianceStateLength(recursion: VarianceRecursion): number {
  return recursion.kind === "hexp" ? 1 + recursion.decays.length : 1;
}

/**
 * Advances a state vector by one bar in place and returns the next variance, which is also state[0]; the allocation-free
 * step for simulated paths. Shapes: state has varianceStateLength(recursion) entries. Same meaning of z and ξ as above.
 */
export function advanceVariance(
  recursion: VarianceRecursion,
  state: Float64Array,
  residual: number,
  rangeRatio: number,
): number {
  const varianceStep = state[0]!;
  const next =
    recursion.kind === "hexp"
      ? advanceHexp(recursion, state, varianceStep * rangeRatio, residual < 0)
      : varianceNext(recursion, varianceStep, residual, rangeRatio);
  state[0] = next;
  return next;
}

/** Moves the averages E_k toward the bar's range variance and returns the next h; state[0] is left to the caller. */
export function advanceHexp(
  recursion: HexpRecursion,
  state: Float64Array,
  rangeVariance: number,
  isFall: boolean,
): number {
  const { decays, weights } = recursion;
  let next = recursion.baseVarianceStep + (isFall ? recursion.leverage * rangeVariance : 0);
  for (let k = 0; k < decays.length; k++) {
    const decay = decays[k]!;
    const average = decay * state[k + 1]! + (1 - decay) * rangeVariance;
    state[k + 1] = average;
    next += weights[k]! * average;
  }
  return next;
}

/** What the recursion adds to each step's variance whatever came before, ω; 0 for EWMA. */
export function omegaOf(recursion: ScalarVarianceRecursion): number {
  return recursion.kind === "ewma" ? 0 : recursion.omega;
}

/**
 * P with E[h_{t+k}] = V + P^(k−1)(h_{t+1} − V), for E[ξ] = E[z²] = 1 and falls as likely as rises; 1 for EWMA. HExp has
 * no single rate, its mass Σb + ½ b_lev is returned.
 */
export function persistenceOf(recursion: VarianceRecursion): number {
  switch (recursion.kind) {
    case "range-garch":
      return recursion.alpha + recursion.beta;
    case "gjr-garch":
      return recursion.alpha + recursion.gamma / 2 + recursion.beta;
    case "ewma":
      return 1;
    case "hexp":
      return recursion.weights.reduce((sum, weight) => sum + weight, recursion.leverage / 2);
  }
}
