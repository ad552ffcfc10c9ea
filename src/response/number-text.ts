import { TEXT_MEMORY, writeAscii } from "./text-memory.ts";
import { rounded } from "./units.ts";

const bytes = new Uint8Array(TEXT_MEMORY);
const view = new DataView(TEXT_MEMORY);

const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;

/** Four and two decimal digits as the bytes of their text, least significant byte first. */
const FOUR_DIGITS = Uint32Array.from({ length: 10_000 }, (_, n) => bytesOf(String(n).padStart(4, "0")));
const TWO_DIGITS = Uint16Array.from({ length: 100 }, (_, n) => bytesOf(String(n).padStart(2, "0")));

/** The first number whose neighbours are more than 1e-10 away: from here on ten decimals may name no double. */
const DENSE_BELOW = 2 ** 19;
const DENSE_SCALED_BELOW = DENSE_BELOW * 1e10;
/** Below it no decimal short enough to be written lies exactly halfway to a neighbour. */
const SHORTEST_BELOW = 2 ** 43;

/**
 * A number rounded to the ten decimals of the contract, as JSON.stringify writes it: the shortest text that reads back
 * as the same double. Below 2^19 that is the rounded integer's digits, because no two numbers of ten decimals are one
 * double there; where doubles lie too far apart, digit by digit; any other number takes the slow way.
 *
 * The number is handed over as eight bytes in the place of its text, least significant first, because a fraction passed
 * to a function that is not inlined becomes an object of its own.
 *
 * Holds:   equal to JSON.stringify of the rounded number
 */
export function writeNumber(at: number): number {
  const scaled = Math.round(view.getFloat64(at, true) * 1e10);
  const magnitude = Math.abs(scaled);
  if (!(magnitude < DENSE_SCALED_BELOW)) return writeLargeNumber(at);
  if (magnitude < 1e4) {
    // Below 1e-6 the text has an exponent.
    if (magnitude !== 0) return writeAscii(String(scaled / 1e10), at);
    bytes[at] = ZERO;
    return at + 1;
  }
  let end = at | 0;
  if (scaled < 0) bytes[end++] = MINUS;
  // Exact at every multiple of 1e8 and right below it, and so everywhere, because products are monotone.
  const high = (magnitude * 1e-8) | 0;
  const low = (magnitude - high * 1e8) | 0;
  const whole = (high / 100) | 0;
  const hundredths = high - whole * 100;
  end = writeWhole(whole, end);
  if (low === 0 && hundredths === 0) return end;
  bytes[end] = POINT;
  view.setUint16(end + 1, TWO_DIGITS[hundredths]!, true);
  end += 3;
  if (low !== 0) {
    const middle = (low / 10_000) | 0;
    view.setUint32(end, FOUR_DIGITS[middle]!, true);
    view.setUint32(end + 4, FOUR_DIGITS[low - middle * 10_000]!, true);
    end += 8;
  }
  while (bytes[end - 1] === ZERO) end--;
  return end;
}

/** Below 1 000 000. */
function writeWhole(whole: number, at: number): number {
  if (whole < 10) {
    bytes[at] = ZERO + whole;
    return at + 1;
  }
  if (whole < 100) {
    view.setUint16(at, TWO_DIGITS[whole]!, true);
    return at + 2;
  }
  if (whole < 10_000) return writeUpToFour(whole, at);
  const first = (whole / 10_000) | 0;
  let end = at;
  if (first < 10) bytes[end++] = ZERO + first;
  else {
    view.setUint16(end, TWO_DIGITS[first]!, true);
    end += 2;
  }
  view.setUint32(end, FOUR_DIGITS[whole - first * 10_000]!, true);
  return end + 4;
}

/** Without leading zeros. */
function writeUpToFour(whole: number, at: number): number {
  const skipped = whole < 10 ? 3 : whole < 100 ? 2 : whole < 1000 ? 1 : 0;
  view.setUint32(at, FOUR_DIGITS[whole]! >>> (8 * skipped), true);
  return at + 4 - skipped;
}

/**
 * Decimals until what is left is less than half of the distance to the neighbouring double (Steele and White, 1990).
 * Every step is exact: the remainder keeps fewer bits than a double has.
 */
function writeLargeNumber(at: number): number {
  const x = rounded(view.getFloat64(at, true));
  const magnitude = Math.abs(x);
  if (!(magnitude >= DENSE_BELOW && magnitude < SHORTEST_BELOW)) return writeOtherNumber(x, at);
  let end = at;
  if (x < 0) bytes[end++] = MINUS;
  const whole = Math.floor(magnitude);
  const highWhole = Math.floor(whole / 1e8);
  const lowWhole = whole - highWhole * 1e8;
  const middleWhole = (lowWhole / 1e4) | 0;
  if (highWhole > 0) {
    end = writeWhole(highWhole, end);
    view.setUint32(end, FOUR_DIGITS[middleWhole]!, true);
    end += 4;
  } else {
    end = writeUpToFour(middleWhole, end);
  }
  view.setUint32(end, FOUR_DIGITS[lowWhole - middleWhole * 1e4]!, true);
  end += 4;
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

/** Half of the distance from a double between 2^19 and 2^43 to the next. */
function halfGapOf(magnitude: number): number {
  let half = 2 ** -34;
  for (let above = 2 * DENSE_BELOW; magnitude >= above; above *= 2) half *= 2;
  return half;
}

function writeOtherNumber(x: number, at: number): number {
  return writeAscii(Number.isFinite(x) ? String(x) : "null", at);
}

function bytesOf(digits: string): number {
  return Buffer.from(digits).reduceRight((word, digit) => word * 256 + digit, 0);
}
