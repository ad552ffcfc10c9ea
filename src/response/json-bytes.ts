/**
 * What every text is written into, one at a time: a text is read out before the next is begun. A constant, because the
 * optimiser then knows its address and length; pages that no text reaches are never touched. Every function takes the
 * place to write at and returns the place after what it wrote.
 *
 * Errors:  RangeError, or an end beyond the memory, where a text does not fit: json-text.ts then goes the slow way
 */
export const TEXT_MEMORY = new ArrayBuffer(4 * 1024 * 1024);
const bytes = new Uint8Array(TEXT_MEMORY);
const view = new DataView(TEXT_MEMORY);

const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Four and two decimal digits as the bytes of their text, least significant byte first. */
const FOUR_DIGITS = Uint32Array.from({ length: 10_000 }, (_, n) => bytesOf(String(n).padStart(4, "0")));
const TWO_DIGITS = Uint16Array.from({ length: 100 }, (_, n) => bytesOf(String(n).padStart(2, "0")));

/** The first number whose neighbours are more than 1e-10 away: from here on ten decimals may name no double. */
const DENSE_BELOW = 2 ** 19;
/** Below it no decimal short enough to be written lies exactly halfway to a neighbour. */
const SHORTEST_BELOW = 2 ** 43;

/** Longer than a request's id, so that only constants of the model are remembered. */
const SENTENCE_LENGTH_MIN = 37;
const SENTENCES_MAX = 256;
const sentences = new Map<string, Uint8Array>();

/**
 * A number as JSON.stringify writes it: the shortest text that reads back as the same double. Ten decimals, which is
 * what the contract rounds to, are written as two integers; where doubles lie too far apart for them, digit by digit;
 * any other number takes the slow way.
 *
 * Holds:   equal to JSON.stringify of the number
 */
export function writeNumber(x: number, at: number): number {
  const magnitude = x < 0 ? -x : x;
  if (magnitude >= DENSE_BELOW) return writeLargeNumber(x, magnitude, at);
  const scaled = Math.round(magnitude * 1e10);
  // Below 1e-6 the text has an exponent.
  if (scaled < 1e4 || scaled / 1e10 !== magnitude) return writeOtherNumber(x, at);
  let end = at;
  if (x < 0) bytes[end++] = MINUS;
  const whole = magnitude | 0;
  const rest = scaled - whole * 1e10;
  end = writeWhole(whole, end);
  if (rest === 0) return end;
  const high = (rest / 1e6) | 0;
  const low = (rest - high * 1e6) | 0;
  bytes[end] = POINT;
  view.setUint32(end + 1, FOUR_DIGITS[high]!, true);
  end += 5;
  if (low !== 0) {
    const middle = (low / 100) | 0;
    view.setUint32(end, FOUR_DIGITS[middle]!, true);
    view.setUint16(end + 4, TWO_DIGITS[low - middle * 100]!, true);
    end += 6;
  }
  while (bytes[end - 1] === ZERO) end--;
  return end;
}

/** A string as JSON; characters that are not ASCII are escaped. */
export function writeString(text: string, at: number): number {
  const { length } = text;
  if (length >= SENTENCE_LENGTH_MIN) return writeSentence(text, at);
  bytes[at] = QUOTE;
  let end = at + 1;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code > 0x7e || code === QUOTE || code === BACKSLASH) {
      return writeAscii(asciiJson(text), at);
    }
    bytes[end++] = code;
  }
  bytes[end] = QUOTE;
  return end + 1;
}

export function writeBoolean(value: boolean, at: number): number {
  return value ? writeAscii("true", at) : writeAscii("false", at);
}

export function writeNull(at: number): number {
  return writeAscii("null", at);
}

/** The last place before `end` where an ASCII text stands; negative when it does not. */
export function lastPlaceOf(text: string, end: number): number {
  let at = end - text.length;
  while (at >= 0 && !standsAt(text, at)) at--;
  return at;
}

/** Whether an ASCII text stands at a place. */
export function standsAt(text: string, at: number): boolean {
  let i = 0;
  while (i < text.length && bytes[at + i] === text.charCodeAt(i)) i++;
  return i === text.length;
}

/** Replaces a stretch by an ASCII text; returns the new end. */
export function replaceAt(from: number, to: number, text: string, end: number): number {
  bytes.copyWithin(from + text.length, to, end);
  writeAscii(text, from);
  return end + text.length - (to - from);
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
function writeLargeNumber(x: number, magnitude: number, at: number): number {
  if (!(magnitude < SHORTEST_BELOW)) return writeOtherNumber(x, at);
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

function writeAscii(text: string, at: number): number {
  for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i);
  return at + text.length;
}

/** Long strings are the model's own descriptions and hashes, the same in every answer. */
function writeSentence(text: string, at: number): number {
  let encoded = sentences.get(text);
  if (encoded === undefined) {
    encoded = Buffer.from(asciiJson(text), "latin1");
    if (sentences.size < SENTENCES_MAX) sentences.set(text, encoded);
  }
  bytes.set(encoded, at);
  return at + encoded.length;
}

function asciiJson(text: string): string {
  return JSON.stringify(text).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function bytesOf(digits: string): number {
  return Buffer.from(digits).reduceRight((word, digit) => word * 256 + digit, 0);
}
