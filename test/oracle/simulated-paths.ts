import type { PathDraw } from "../../src/risk/scenarios/path-kernel.ts";

/** The paths of a draw by the recursions' textbook forms, without tables or blocks. Same layout as drawPaths. */
export function simulatePaths(draw: PathDraw): Float64Array {
  const { pool, index, models, sigmaFactors, horizonSteps } = draw;
  const n = index.scenarios;
  const out = new Float64Array(3 * horizonSteps.length * n);
  for (let s = 0; s < n; s++) {
    const share = Math.floor(n / models.length);
    const { recursion, state } = models[models.length === 1 || s < share ? 0 : 1]!;
    let h = state[0]!;
    const averages = Array.from(state.subarray(1));
    let close = 0;
    const lows = [0];
    const highs = [0];
    for (let k = 0; k < horizonSteps.at(-1)!; k++) {
      const hour = index.hours[s * index.steps + k]!;
      const [z, zLow, zHigh, xi] = pool.tuples.subarray(4 * hour, 4 * hour + 4) as unknown as number[];
      const q = Math.sqrt(h) * sigmaFactors[k]!;
      lows.push(close + q * zLow!);
      highs.push(close + q * zHigh!);
      close += q * z!;
      lows.push(close);
      highs.push(close);
      const isFall = z! < 0;
      const r2 = h * z! * z!;
      const x = h * xi!;
      if (recursion.kind === "range-garch") {
        h =
          recursion.omega +
          recursion.alpha * (1 + recursion.asymmetry * (isFall ? 1 : -1)) * x +
          recursion.beta * h;
      } else if (recursion.kind === "gjr-garch") {
        h = recursion.omega + (recursion.alpha + (isFall ? recursion.gamma : 0)) * r2 + recursion.beta * h;
      } else if (recursion.kind === "ewma") {
        h = recursion.decay * h + (1 - recursion.decay) * r2;
      } else {
        recursion.decays.forEach((decay, i) => (averages[i] = decay * averages[i]! + (1 - decay) * x));
        h = recursion.baseVarianceStep + (isFall ? recursion.leverage * x : 0);
        recursion.weights.forEach((weight, i) => (h += weight * averages[i]!));
      }
      const horizon = horizonSteps.indexOf(k + 1);
      if (horizon >= 0) {
        out[3 * horizon * n + s] = close;
        out[(3 * horizon + 1) * n + s] = Math.min(...lows);
        out[(3 * horizon + 2) * n + s] = Math.max(...highs);
      }
    }
  }
  return out;
}
