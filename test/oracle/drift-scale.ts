/**
 * The drift correction by its definition: p over the window, its EWMA against its mean square, to the power of half the
 * hedged share of the exposures, within the bounds.
 */
export function driftScaleByDefinition(
  residuals: readonly ArrayLike<number>[],
  exposures: readonly number[],
  decay: number,
  [lowest, highest]: readonly [number, number],
): number {
  const hours = residuals[0]?.length ?? 0;
  const gross = exposures.reduce((sum, exposure) => sum + Math.abs(exposure), 0);
  const net = exposures.reduce((sum, exposure) => sum + exposure, 0);
  const hedged = gross > 0 ? 1 - Math.abs(net) / gross : 0;
  const squares = Array.from({ length: hours }, (_, hour) => {
    const p = exposures.reduce((sum, exposure, i) => sum + exposure * residuals[i]![hour]!, 0);
    return p * p;
  });
  const mean = squares.reduce((sum, square) => sum + square, 0) / hours;
  if (!(mean > 0)) return 1;
  const recent = squares.reduce((average, square) => decay * average + (1 - decay) * square, mean);
  return Math.min(highest, Math.max(lowest, Math.sqrt(recent / mean) ** (hedged / 2)));
}
