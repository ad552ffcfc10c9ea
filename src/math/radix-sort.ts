const DIGIT_BITS = 11;
const BUCKETS = 1 << DIGIT_BITS;
const DIGIT_MASK = BUCKETS - 1;
const SIGN = 0x8000_0000;

/** Working memory of sorts, grown to the longest array seen; one per thread. */
let keys = new Uint32Array(0);
let spare = new Uint32Array(0);
const counts = new Uint32Array(3 * BUCKETS);

/**
 * Sorts ascending in place, bit for bit as Float32Array.prototype.sort does for numbers (−0 before 0): three passes over
 * eleven bits each of a key that orders like the number, several times as fast on the thousands of paths of a draw.
 *
 * Shapes:  no NaN
 * Source:  Herf, Radix tricks (2001): flip the sign of a positive float's bits, all bits of a negative one's
 */
export function sortFloats(values: Float32Array): void {
  const n = values.length;
  if (keys.length < n) {
    keys = new Uint32Array(n);
    spare = new Uint32Array(n);
  }
  const bits = new Uint32Array(values.buffer, values.byteOffset, n);
  counts.fill(0);
  for (let i = 0; i < n; i++) {
    const raw = bits[i]!;
    const key = (raw & SIGN) === 0 ? (raw | SIGN) >>> 0 : ~raw >>> 0;
    keys[i] = key;
    counts[key & DIGIT_MASK]!++;
    counts[BUCKETS + ((key >>> DIGIT_BITS) & DIGIT_MASK)]!++;
    counts[2 * BUCKETS + (key >>> (2 * DIGIT_BITS))]!++;
  }
  for (let pass = 0; pass < 3; pass++) {
    let start = 0;
    for (let bucket = pass * BUCKETS; bucket < (pass + 1) * BUCKETS; bucket++) {
      const count = counts[bucket]!;
      counts[bucket] = start;
      start += count;
    }
  }
  scatter(keys, spare, n, 0);
  scatter(spare, keys, n, 1);
  scatter(keys, spare, n, 2);
  for (let i = 0; i < n; i++) {
    const key = spare[i]!;
    bits[i] = (key & SIGN) === 0 ? ~key : key ^ SIGN;
  }
}

/** Moves keys to their places by one digit, keeping the order of equal ones. */
function scatter(from: Uint32Array, to: Uint32Array, n: number, pass: number): void {
  const shift = pass * DIGIT_BITS;
  const first = pass * BUCKETS;
  for (let i = 0; i < n; i++) {
    const key = from[i]!;
    to[counts[first + ((key >>> shift) & DIGIT_MASK)]!++] = key;
  }
}
