import { invariant } from "./invariant.ts";

export interface MinimiserOptions {
  /** Initial simplex edge per coordinate; the caller scales its parameters so that these are sensible. */
  readonly steps: readonly number[];
  readonly evaluationsMax: number;
  /** Spread of the objective over the simplex at which it has converged, absolute. */
  readonly tolerance: number;
  /** A collapsed simplex is not always a minimum: so many fresh, smaller simplexes are tried around the best point. */
  readonly restarts: number;
}

const REFLECTION = 1;
const EXPANSION = 2;
const CONTRACTION = 0.5;
const SHRINKAGE = 0.5;
const RESTART_EDGE = 0.25;

/**
 * The lowest point found of a function, without derivatives. Deterministic; never above its budget of evaluations except
 * to finish a shrink; nothing is allocated per step; NaN counts as +∞.
 * Source: Nelder and Mead, A simplex method for function minimization, Computer Journal 7 (1965).
 */
export function minimise(
  objective: (at: Float64Array) => number,
  start: Float64Array,
  options: MinimiserOptions,
): Float64Array {
  const simplex = new Simplex(objective, start.length);
  simplex.spread(start, options.steps, 1);
  let hasConverged = simplex.descend(options.evaluationsMax, options.tolerance);
  for (let restart = 0; restart < options.restarts && hasConverged; restart++) {
    const before = simplex.bestValue();
    simplex.spread(simplex.best(), options.steps, RESTART_EDGE);
    hasConverged = simplex.descend(options.evaluationsMax, options.tolerance);
    if (before - simplex.bestValue() <= options.tolerance) break;
  }
  return simplex.best();
}

class Simplex {
  readonly #objective: (at: Float64Array) => number;
  readonly #dimension: number;
  /** dimension + 1 vertices and their values, in no order; worst, second worst and best are found by a scan. */
  readonly #vertices: Float64Array[];
  readonly #values: Float64Array;
  readonly #centroid: Float64Array;
  readonly #trial: Float64Array;
  readonly #second: Float64Array;
  #evaluations = 0;
  #best = 0;
  #worst = 0;
  #secondWorstValue = 0;

  constructor(objective: (at: Float64Array) => number, dimension: number) {
    invariant(dimension > 0, "at least one parameter");
    this.#objective = objective;
    this.#dimension = dimension;
    this.#vertices = Array.from({ length: dimension + 1 }, () => new Float64Array(dimension));
    this.#values = new Float64Array(dimension + 1);
    this.#centroid = new Float64Array(dimension);
    this.#trial = new Float64Array(dimension);
    this.#second = new Float64Array(dimension);
  }

  best(): Float64Array {
    return this.#vertices[this.#best]!.slice();
  }

  bestValue(): number {
    return this.#values[this.#best]!;
  }

  spread(start: Float64Array, steps: readonly number[], edge: number): void {
    this.#vertices.forEach((vertex, i) => {
      vertex.set(start);
      if (i > 0) vertex[i - 1]! += edge * steps[i - 1]!;
      this.#values[i] = this.#evaluate(vertex);
    });
    this.#rank();
  }

  /** Runs until converged (true) or out of budget (false). */
  descend(evaluationsMax: number, tolerance: number): boolean {
    while (this.#values[this.#worst]! - this.#values[this.#best]! > tolerance) {
      if (this.#evaluations >= evaluationsMax) return false;
      this.#step();
      this.#rank();
    }
    return Number.isFinite(this.bestValue());
  }

  #step(): void {
    const worst = this.#vertices[this.#worst]!;
    this.#moveCentroid();
    const reflected = this.#probe(this.#trial, worst, -REFLECTION);
    if (reflected < this.bestValue()) {
      const expanded = this.#probe(this.#second, worst, -EXPANSION);
      if (expanded < reflected) this.#accept(this.#second, expanded);
      else this.#accept(this.#trial, reflected);
      return;
    }
    if (reflected < this.#secondWorstValue) {
      this.#accept(this.#trial, reflected);
      return;
    }
    const isOutside = reflected < this.#values[this.#worst]!;
    const contracted = this.#probe(this.#second, worst, isOutside ? -CONTRACTION : CONTRACTION);
    if (contracted < Math.min(reflected, this.#values[this.#worst]!)) this.#accept(this.#second, contracted);
    else this.#shrink();
  }

  /** Evaluates centroid + factor (worst − centroid). */
  #probe(into: Float64Array, worst: Float64Array, factor: number): number {
    for (let d = 0; d < this.#dimension; d++) {
      into[d] = this.#centroid[d]! + factor * (worst[d]! - this.#centroid[d]!);
    }
    return this.#evaluate(into);
  }

  #accept(at: Float64Array, value: number): void {
    this.#vertices[this.#worst]!.set(at);
    this.#values[this.#worst] = value;
  }

  #shrink(): void {
    const best = this.#vertices[this.#best]!;
    this.#vertices.forEach((vertex, i) => {
      if (i === this.#best) return;
      for (let d = 0; d < this.#dimension; d++) vertex[d] = best[d]! + SHRINKAGE * (vertex[d]! - best[d]!);
      this.#values[i] = this.#evaluate(vertex);
    });
  }

  #moveCentroid(): void {
    for (let d = 0; d < this.#dimension; d++) {
      let sum = 0;
      for (let i = 0; i <= this.#dimension; i++) if (i !== this.#worst) sum += this.#vertices[i]![d]!;
      this.#centroid[d] = sum / this.#dimension;
    }
  }

  #rank(): void {
    let best = 0;
    let worst = 0;
    for (let i = 1; i <= this.#dimension; i++) {
      if (this.#values[i]! < this.#values[best]!) best = i;
      if (this.#values[i]! > this.#values[worst]!) worst = i;
    }
    let second = -Infinity;
    for (let i = 0; i <= this.#dimension; i++) {
      if (i !== worst && this.#values[i]! > second) second = this.#values[i]!;
    }
    this.#best = best;
    this.#worst = worst;
    this.#secondWorstValue = second;
  }

  #evaluate(at: Float64Array): number {
    this.#evaluations++;
    const value = this.#objective(at);
    return Number.isNaN(value) ? Infinity : value;
  }
}
