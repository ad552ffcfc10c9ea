/** From one moment until another, milliseconds. */
export interface Stretch {
  readonly fromMs: number;
  /** Not part of it. */
  readonly untilMs: number;
}

/** Ascending stretches of which no two touch, and one more, joined to those that it touches. */
export function withStretch(stretches: readonly Stretch[], added: Stretch): readonly Stretch[] {
  if (added.untilMs <= added.fromMs) return stretches;
  const before = stretches.filter(({ untilMs }) => untilMs < added.fromMs);
  const after = stretches.filter(({ fromMs }) => fromMs > added.untilMs);
  const touched = stretches.slice(before.length, stretches.length - after.length);
  const joined = {
    fromMs: Math.min(added.fromMs, touched[0]?.fromMs ?? added.fromMs),
    untilMs: Math.max(added.untilMs, touched.at(-1)?.untilMs ?? added.untilMs),
  };
  return [...before, joined, ...after];
}

/** From the first to the last moment of a stretch that lies outside of all others; null where there is none. */
export function outsideOf(stretches: readonly Stretch[], { fromMs, untilMs }: Stretch): Stretch | null {
  const around = (timeMs: number): Stretch | undefined =>
    stretches.find((one) => one.fromMs <= timeMs && timeMs <= one.untilMs);
  const outside = { fromMs: around(fromMs)?.untilMs ?? fromMs, untilMs: around(untilMs)?.fromMs ?? untilMs };
  return outside.fromMs < outside.untilMs ? outside : null;
}
