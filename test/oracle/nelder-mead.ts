interface Vertex {
  readonly at: readonly number[];
  readonly value: number;
}

/**
 * The points that Nelder and Mead (1965) evaluate, in their order: reflect the worst vertex through the others' centre,
 * go twice as far where that is the best yet, half as far, on the better side, where it stays the worst, and halve the
 * simplex toward its best vertex where nothing helps.
 */
export function nelderMeadTrace(
  objective: (at: readonly number[]) => number,
  start: readonly number[],
  steps: readonly number[],
  count: number,
): readonly (readonly number[])[] {
  const seen: (readonly number[])[] = [];
  const evaluated = (at: readonly number[]): Vertex => {
    seen.push(at);
    return { at, value: objective(at) };
  };
  const moved = (axis: number): number[] =>
    start.map((value, d) => (d === axis ? value + steps[axis]! : value));
  let simplex = [evaluated(start), ...steps.map((_, axis) => evaluated(moved(axis)))];
  while (seen.length < count) {
    const ranked = [...simplex].sort((a, b) => a.value - b.value);
    const best = ranked[0]!;
    const second = ranked.at(-2)!;
    const worst = ranked.at(-1)!;
    const others = simplex.filter((vertex) => vertex !== worst);
    const centre = start.map((_, d) => others.reduce((sum, { at }) => sum + at[d]!, 0) / others.length);
    const beyond = (factor: number): Vertex =>
      evaluated(centre.map((value, d) => value + factor * (value - worst.at[d]!)));
    const replaceWorst = (by: Vertex): Vertex[] => simplex.map((vertex) => (vertex === worst ? by : vertex));

    const reflected = beyond(1);
    if (reflected.value < best.value) {
      const expanded = beyond(2);
      simplex = replaceWorst(expanded.value < reflected.value ? expanded : reflected);
      continue;
    }
    if (reflected.value < second.value) {
      simplex = replaceWorst(reflected);
      continue;
    }
    const contracted = beyond(reflected.value < worst.value ? 0.5 : -0.5);
    if (contracted.value < Math.min(reflected.value, worst.value)) simplex = replaceWorst(contracted);
    else {
      simplex = simplex.map((vertex) =>
        vertex === best ? best : evaluated(vertex.at.map((value, d) => (value + best.at[d]!) / 2)),
      );
    }
  }
  return seen;
}
