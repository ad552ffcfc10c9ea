import { clamp } from "../../math/clamp.ts";
import { invariant } from "../../math/invariant.ts";
import { standardisedTExpectedShortfall, standardisedTQuantile, studentTCdf } from "../../math/student-t.ts";

/** Degrees of freedom of the tail under the null: crypto's residuals have 4 to 5, and fewer is stricter on alarms. */
const Z2_TAIL_DEGREES_OF_FREEDOM = 4;
/** Width of a cell of loss/ES, wider only where a long record would need more cells than the second number. */
const CELL = 0.01;
const CELLS_MAX = 4000;
/** The sum of loss/ES is followed to this many deviations beyond its mean. */
const REACH_DEVIATIONS = 12;
const RESCALE_AT = 1e200;

/** What Z2 of a correct model does, for one length of record and one tail. */
export interface Z2Distribution {
  /** P(Z2 <= z2): small means that the shortfall was understated. Shapes: any number. */
  readonly lowerTail: (z2: number) => number;
  /** The value that Z2 falls below with probability `significance`. */
  readonly criticalValue: (significance: number) => number;
}

/**
 * The distribution of Z2 for independent Student-t losses: the sum of loss/ES over breaches is compound binomial, and
 * its distribution is computed exactly on a grid instead of simulated. The often quoted −0.70 holds for 2.5 % and 250
 * observations only.
 *
 * Holds:   criticalValue is negative for small significances and rises toward 0 with observations × tailProbability;
 *          lowerTail(criticalValue(s)) = s
 * Source:  Panjer, Recursive evaluation of a family of compound distributions, ASTIN Bulletin 12 (1981)
 */
export function z2Distribution(
  observations: number,
  tailProbability: number,
  nu: number = Z2_TAIL_DEGREES_OF_FREEDOM,
): Z2Distribution {
  invariant(observations > 0 && tailProbability > 0 && tailProbability < 0.5, "a tail and a record");
  const expected = observations * tailProbability;
  const reach = expected + REACH_DEVIATIONS * Math.sqrt(expected + 1);
  const width = Math.max(CELL, reach / CELLS_MAX);
  const cells = Math.ceil(reach / width);
  const severity = severityCells(tailProbability, nu, cells, width);
  // The mean of loss/ES over breaches is 1 by definition; dividing by the grid's mean takes most of its error away.
  const unit = 1 / severity.reduce((sum, mass, cell) => sum + mass * cell, 0);
  // P(sum of loss/ES < (cell + ½) × unit), the mass of a cell spread over its width.
  const below = compoundBinomial(observations, tailProbability, severity);
  for (let cell = 1; cell < cells; cell++) below[cell]! += below[cell - 1]!;
  const belowAt = (cell: number): number => (cell < 0 ? 0 : below[Math.min(cell, cells - 1)]!);
  return {
    lowerTail: (z2) => {
      // Without a breach Z2 is 1: an atom, not a cell.
      if (z2 >= 1) return 1;
      const position = ((1 - z2) * expected) / unit + 0.5;
      const cell = Math.floor(position);
      const inside = (position - cell) * (belowAt(cell) - belowAt(cell - 1));
      return clamp(1 - belowAt(cell - 1) - inside, 0, 1);
    },
    criticalValue: (significance) => {
      invariant(significance > 0 && significance < 0.5, "a significance of one side");
      const cell = below.findIndex((mass) => mass >= 1 - significance);
      const overshoot = (belowAt(cell) - (1 - significance)) / (belowAt(cell) - belowAt(cell - 1));
      return 1 - ((cell + 0.5 - overshoot) * unit) / expected;
    },
  };
}

/** The critical value alone. */
export function z2CriticalValue(
  observations: number,
  tailProbability: number,
  significance: number,
  nu?: number,
): number {
  return z2Distribution(observations, tailProbability, nu).criticalValue(significance);
}

/** P(loss/ES in cell j | breach) for j = 0 … cells−1, cell j covering (j ± ½) × width. */
function severityCells(tailProbability: number, nu: number, cells: number, width: number): Float64Array {
  const toT = Math.sqrt(nu / (nu - 2));
  const shortfall = standardisedTExpectedShortfall(tailProbability, nu);
  const valueAtRisk = -standardisedTQuantile(tailProbability, nu);
  const tailBeyond = (ratio: number): number =>
    ratio * shortfall <= valueAtRisk ? 1 : studentTCdf(-ratio * shortfall * toT, nu) / tailProbability;
  const out = new Float64Array(cells);
  let beyond = 1;
  for (let cell = 0; cell < cells; cell++) {
    const next = tailBeyond((cell + 0.5) * width);
    out[cell] = beyond - next;
    beyond = next;
  }
  return out;
}

/** Panjer's recursion for N binomial(n, p): g_s = Σ_j (a + b j/s) f_j g_{s−j}, a = −p/(1−p), b = (n+1)p/(1−p). */
function compoundBinomial(n: number, p: number, severity: Float64Array): Float64Array {
  const odds = p / (1 - p);
  const weighted = severity.map((mass, j) => j * mass);
  const total = new Float64Array(severity.length);
  // g_0 = (1−p)^n underflows on long records: start at 1, scale down on the way, normalise at the end.
  total[0] = 1;
  let sum = 1;
  const first = severity.findIndex((mass) => mass > 0);
  for (let s = first; s < total.length; s++) {
    let plain = 0;
    let moment = 0;
    for (let j = first; j <= s; j++) {
      plain += severity[j]! * total[s - j]!;
      moment += weighted[j]! * total[s - j]!;
    }
    total[s] = odds * (((n + 1) / s) * moment - plain);
    sum += total[s]!;
    if (sum < RESCALE_AT) continue;
    for (let k = 0; k <= s; k++) total[k]! /= RESCALE_AT;
    sum /= RESCALE_AT;
  }
  return total.map((mass) => mass / sum);
}
