/** Kendall's tau-b by its definition, pair by pair. */
export function kendallTauByPairs(x: readonly number[], y: readonly number[]): number {
  let score = 0;
  let untiedX = 0;
  let untiedY = 0;
  for (let i = 0; i < x.length; i++) {
    for (let j = 0; j < i; j++) {
      const dx = Math.sign(x[i]! - x[j]!);
      const dy = Math.sign(y[i]! - y[j]!);
      score += dx * dy;
      untiedX += Math.abs(dx);
      untiedY += Math.abs(dy);
    }
  }
  return score / Math.sqrt(untiedX * untiedY);
}
