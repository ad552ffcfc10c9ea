/** A slow, obvious merge of one side of a book, price by price, on integer ticks. */

export interface OracleLevel {
  readonly tick: number;
  readonly size: number;
}

/** Full-precision views in the order they are to be believed; each says everything from its best to its worst tick. */
export function mergedFine(
  views: readonly (readonly OracleLevel[])[],
  worsening: 1 | -1,
): readonly OracleLevel[] {
  const merged: OracleLevel[] = [];
  for (const view of views) {
    const known = [...merged];
    for (const level of view) {
      const isSaidAlready = known.some(({ tick }) => (tick - level.tick) * worsening >= 0);
      if (!isSaidAlready) merged.push(level);
    }
  }
  return merged.sort((a, b) => (a.tick - b.tick) * worsening);
}

/** Adds the buckets that end beyond the finest reach, less what the finer levels hold inside them. */
export function withCoarse(
  fine: readonly OracleLevel[],
  buckets: readonly { readonly farTick: number; readonly widthTicks: number; readonly size: number }[],
  worsening: 1 | -1,
): readonly OracleLevel[] {
  const reach = fine.at(-1)?.tick;
  if (reach === undefined) return [];
  const added: OracleLevel[] = [];
  for (const { farTick, widthTicks, size } of buckets) {
    if ((farTick - reach) * worsening <= 0) continue;
    const held = fine.filter(({ tick }) => {
      const fromFar = (farTick - tick) * worsening;
      return fromFar >= 0 && fromFar < widthTicks;
    });
    const rest = size - held.reduce((sum, level) => sum + level.size, 0);
    if (rest > 0) added.push({ tick: farTick, size: rest });
  }
  return [...fine, ...added];
}
