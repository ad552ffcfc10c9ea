import { TEXT_MEMORY, writeAscii } from "./text-memory.ts";
import { rounded } from "./units.ts";

const bytes = new Uint8Array(TEXT_MEMORY);
const view = new DataView(TEXT_MEMORY);

const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;

/**
 * Three decimal digits as the bytes of their text, least significant byte first; the fourth byte is 0. Longer groups
 * would make fewer look-ups in a table that does not stay in the processor's first cache between two answers.
 */
const THREE_DIGITS = Uint32Array.from({ length: 1000 }, (_, n) => bytesOf(String(n).padStart(3, "0")));
/** The same without leading zeros, with the number of digits in the fourth byte. */
const UP_TO_THREE_DIGITS = Uint32Array.from({ length: 1000 }, (_, n) => {
  const digits = String(n);
  return bytesOf(digits) + digits.length * 2 ** 24;
});

/** Below it half a unit can be added to an integer; no two numbers of ten decimals are one double there, either. */
const DENSE_SCALED_BELOW = 2 ** 52;
/** Not above any number for which there is no such half, and where the gaps between doubles are looked at from. */
const LARGE_FROM = 2 ** 18;
/** Below it no decimal short enough to be written lies exactly halfway to a neighbour. */
const SHORTEST_BELOW = 2 ** 43;

/**
 * A number rounded to the ten decimals of the contract, as JSON.stringify writes it: the shortest text that reads back
 * as the same double. Below some 450,000 that is the rounded integer's digits; where doubles lie too far apart, digit by
 * digit; any other number takes the slow way.
 *
 * The number is handed over as eight bytes in the place of its text, least significant first, because a fraction passed
 * to a function that is not inlined becomes an object of its own.
 *
 * Holds:   equal to JSON.stringify of the rounded number
 */
export function writeNumber(at: number): number {
  // Math.round, which V8 makes a branch of, is guessed wrong half the time.
  const scaled = Math.floor(view.getFloat64(at, true) * 1e10 + 0.5);
  const magnitude = Math.abs(scaled);
  if (!(magnitude < DENSE_SCALED_BELOW)) return writeLargeNumber(at);
  if (magnitude < 1e4) {
    // Below 1e-6 the text has an exponent.
    if (magnitude !== 0) return writeAscii(String(rounded(view.getFloat64(at, true))), at);
    bytes[at] = ZERO;
    return at + 1;
  }
  let end = at | 0;
  if (scaled < 0) bytes[end++] = MINUS;
  // Exact at every multiple of 1e9 and right below it, and so everywhere, because products are monotone.
  const tenths = (magnitude * 1e-9) | 0;
  const low = (magnitude - tenths * 1e9) | 0;
  const whole = (tenths / 10) | 0;
  const tenth = tenths - whole * 10;
  end = writeWhole(whole, end);
  if (low === 0) {
    if (tenth === 0) return end;
    bytes[end] = POINT;
    bytes[end + 1] = ZERO + tenth;
    return end + 2;
  }
  const first = (low / 1e6) | 0;
  const rest = low - first * 1e6;
  const second = (rest / 1000) | 0;
  bytes[end] = POINT;
  bytes[end + 1] = ZERO + tenth;
  view.setUint32(end + 2, THREE_DIGITS[first]!, true);
  view.setUint32(end + 5, THREE_DIGITS[second]!, true);
  view.setUint32(end + 8, THREE_DIGITS[rest - second * 1000]!, true);
  end += 11;
  while (bytes[end - 1] === ZERO) end--;
  return end;
}

/** Below 1 000 000. */
function writeWhole(whole: number, at: number): number {
  if (whole < 1000) return writeUpToThree(whole, at);
  const thousands = (whole / 1000) | 0;
  const end = writeUpToThree(thousands, at);
  view.setUint32(end, THREE_DIGITS[whole - thousands * 1000]!, true);
  return end + 3;
}

/** Below 1000, without leading zeros. */
function writeUpToThree(whole: number, at: number): number {
  const word = UP_TO_THREE_DIGITS[whole]!;
  view.setUint32(at, word, true);
  return at + (word >>> 24);
}

/**
 * Decimals until what is left is less than half of the distance to the neighbouring double (Steele and White, 1990).
 * Every step is exact: the remainder keeps fewer bits than a double has.
 */
function writeLargeNumber(at: number): number {
  const x = rounded(view.getFloat64(at, true));
  const magnitude = Math.abs(x);
  if (!(magnitude >= LARGE_FROM && magnitude < SHORTEST_BELOW)) return writeOtherNumber(x, at);
  let end = at;
  if (x < 0) bytes[end++] = MINUS;
  const whole = Math.floor(magnitude);
  end = writeLargeWhole(whole, end);
  let rest = magnitude - whole;
  if (rest === 0) return end;
  let half = halfGapOf(magnitude);
  bytes[end++] = POINT;
  for (;;) {
    rest *= 10;
    half *= 10;
    const digit = rest | 0;
    rest -= digit;
    const isDownClose = rest < half;
    const isUpClose = rest > 1 - half;
    // Of two that are close enough the nearer, of two as near the even one.
    const isUp = isUpClose && (!isDownClose || rest > 0.5 || (rest === 0.5 && digit % 2 === 1));
    bytes[end++] = ZERO + digit + (isUp ? 1 : 0);
    if (isDownClose || isUpClose) return end;
  }
}

/** Below 2^43. */
function writeLargeWhole(whole: number, at: number): number {
  if (whole < 1e6) return writeWhole(whole, at);
  const thousands = Math.floor(whole / 1000);
  const end = writeLargeWhole(thousands, at);
  view.setUint32(end, THREE_DIGITS[whole - thousands * 1000]!, true);
  return end + 3;
}

/** Half of the distance from a double between 2^18 and 2^43 to the next. */
function halfGapOf(magnitude: number): number {
  let half = 2 ** -35;
  for (let above = 2 * LARGE_FROM; magnitude >= above; above *= 2) half *= 2;
  return half;
}

function writeOtherNumber(x: number, at: number): number {
  return writeAscii(Number.isFinite(x) ? String(x) : "null", at);
}

function bytesOf(digits: string): number {
  return Buffer.from(digits).reduceRight((word, digit) => word * 256 + digit, 0);
}
