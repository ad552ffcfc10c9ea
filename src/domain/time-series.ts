/** Both lists in one, ascending by time, without doubles; where both have a time the second list wins. */
export function mergeByTime<T>(
  kept: readonly T[],
  added: readonly T[],
  timeMs: (value: T) => number,
): readonly T[] {
  const byTime = new Map(kept.map((value) => [timeMs(value), value]));
  for (const value of added) byTime.set(timeMs(value), value);
  return [...byTime.entries()].sort(([a], [b]) => a - b).map(([, value]) => value);
}
