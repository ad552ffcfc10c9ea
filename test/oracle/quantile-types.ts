/** Sample quantile of the nine types of Hyndman and Fan, Sample quantiles in statistical packages (1996); p in [0, 1]. */
export function quantileOfType(ascending: ArrayLike<number>, p: number, type: number): number {
  const n = ascending.length;
  const at = (rank: number): number => ascending[Math.min(Math.max(rank, 1), n) - 1]!;
  if (type <= 3) {
    const place = n * p + (type === 3 ? -0.5 : 0);
    const j = Math.floor(place + 1e-12);
    const isWhole = Math.abs(place - j) < 1e-12;
    if (type === 1) return isWhole ? at(j) : at(j + 1);
    if (type === 2) return isWhole ? (at(j) + at(j + 1)) / 2 : at(j + 1);
    return isWhole && j % 2 === 0 ? at(j) : at(j + 1);
  }
  const place = {
    4: n * p,
    5: n * p + 0.5,
    6: (n + 1) * p,
    7: (n - 1) * p + 1,
    8: (n + 1 / 3) * p + 1 / 3,
    9: (n + 1 / 4) * p + 3 / 8,
  }[type]!;
  const j = Math.floor(place + 1e-12);
  return at(j) + Math.max(place - j, 0) * (at(j + 1) - at(j));
}
