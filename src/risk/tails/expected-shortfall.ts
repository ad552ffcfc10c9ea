/**
 * Mean loss in the worst 1 − c of the sample: (1/m)[Σ of the ⌊m⌋ largest + (m − ⌊m⌋) × the next], m = n(1−c). The
 * fractional term makes it exact for any n and any ties, and coherent.
 *
 * Shapes:  descending losses, at least ⌊m⌋ + 1 of them or all
 * Source:  Acerbi and Tasche, On the coherence of expected shortfall, J. Banking & Finance 26 (2002)
 */
export function expectedShortfallOfDescending(
  descending: ArrayLike<number>,
  sampleSize: number,
  confidence: number,
): number {
  const tailSize = tailSizeOf(sampleSize, confidence);
  const whole = Math.floor(tailSize);
  let sum = 0;
  for (let rank = 0; rank < whole; rank++) sum += descending[rank]!;
  if (whole < tailSize) sum += (tailSize - whole) * descending[whole]!;
  return sum / tailSize;
}

/** How many of the largest losses the mean reads. */
export function expectedShortfallReach(sampleSize: number, confidence: number): number {
  return Math.ceil(tailSizeOf(sampleSize, confidence));
}

/** Observations, not whole, that make up the worst 1 − c of a sample. */
function tailSizeOf(sampleSize: number, confidence: number): number {
  return sampleSize * (1 - confidence);
}
