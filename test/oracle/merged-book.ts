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

/** Adds the buckets that end beyond the finest reach, less what the finer levels hold inside them, laid out evenly. */
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
    const nearTick = farTick - worsening * widthTicks;
    const fromTick = (nearTick - reach) * worsening > 0 ? nearTick : reach;
    if (rest > 0) added.push(...laidOut(fromTick, farTick, rest, fine[0]!.tick));
  }
  return [...fine, ...added];
}

/** As few equal parts as are at most 5 bps wide, or a tenth of the distance of the first from the best price; each at its middle. */
function laidOut(fromTick: number, farTick: number, size: number, bestTick: number): OracleLevel[] {
  const widest = Math.max(bestTick * 5e-4, Math.abs(fromTick - bestTick) / 10);
  let parts = 1;
  while (Math.abs(farTick - fromTick) / parts > widest) parts++;
  return Array.from({ length: parts }, (_, i) => ({
    tick: fromTick + ((i + 0.5) * (farTick - fromTick)) / parts,
    size: size / parts,
  }));
}
