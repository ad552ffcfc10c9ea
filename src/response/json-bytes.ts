/** Room that a writer may count on: no object's names, numbers and booleans take more. */
const ROOM_BYTES = 8 * 1024;
const START_BYTES = 256 * 1024;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Four and two decimal digits as the bytes of their text, least significant byte first. */
const FOUR_DIGITS = Uint32Array.from({ length: 10_000 }, (_, n) => bytesOf(String(n).padStart(4, "0")));
const TWO_DIGITS = Uint16Array.from({ length: 100 }, (_, n) => bytesOf(String(n).padStart(2, "0")));

/** Longer than a request's id, so that only constants of the model are remembered. */
const SENTENCE_LENGTH_MIN = 40;
const SENTENCES_MAX = 256;
const sentences = new Map<string, Buffer>();

/** What one text is written into; reused by the next, so a text is read out before anything else is written. */
let bytes = Buffer.alloc(START_BYTES);
/** The same memory for writing several bytes at once; another after any call that writes. */
export let view = viewOf(bytes);

/** Makes sure that ROOM_BYTES follow a place. */
export function makeRoom(at: number): void {
  if (at + ROOM_BYTES > bytes.length) grow(at + ROOM_BYTES);
}

/** The text written so far. */
export function textUpTo(end: number): string {
  return bytes.toString("latin1", 0, end);
}

/**
 * A number as JSON.stringify writes it. Ten decimals, which is what the contract rounds to, are written as two integers;
 * any other number takes the slow way.
 *
 * Holds:   equal to JSON.stringify of the number
 */
export function writeNumber(x: number, at: number): number {
  const magnitude = x < 0 ? -x : x;
  const scaled = Math.floor(magnitude * 1e10 + 0.5);
  // Below 1e-6 the text has an exponent; from 1e15 on neighbouring doubles share it.
  if (!(scaled >= 1e4 && scaled < 1e15) || scaled / 1e10 !== magnitude) return writeOtherNumber(x, at);
  let end = at;
  if (x < 0) bytes[end++] = MINUS;
  const whole = magnitude | 0;
  const rest = scaled - whole * 1e10;
  end = writeWhole(whole, end);
  if (rest === 0) return end;
  const high = (rest / 1e6) | 0;
  const low = (rest - high * 1e6) | 0;
  const middle = (low / 100) | 0;
  bytes[end] = POINT;
  view.setUint32(end + 1, FOUR_DIGITS[high]!, true);
  view.setUint32(end + 5, FOUR_DIGITS[middle]!, true);
  view.setUint16(end + 9, TWO_DIGITS[low - middle * 100]!, true);
  end += 11;
  while (bytes[end - 1] === ZERO) end--;
  return end;
}

/** A string as JSON; characters that are not ASCII are escaped. */
export function writeString(text: string, at: number): number {
  const { length } = text;
  if (length >= SENTENCE_LENGTH_MIN) return writeSentence(text, at);
  makeRoom(at + length + 2);
  bytes[at] = QUOTE;
  let end = at + 1;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code > 0x7e || code === QUOTE || code === BACKSLASH) return writeEscaped(text, at);
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

/** The last place before `end` where an ASCII text stands; -1 when it does not. */
export function lastPlaceOf(text: string, end: number): number {
  for (let at = end - text.length; at >= 0; at--) {
    let i = 0;
    while (i < text.length && bytes[at + i] === text.charCodeAt(i)) i++;
    if (i === text.length) return at;
  }
  return -1;
}

/** Replaces a stretch by an ASCII text; returns the new end. */
export function replaceAt(from: number, to: number, text: string, end: number): number {
  makeRoom(end + text.length);
  bytes.copyWithin(from + text.length, to, end);
  writeAscii(text, from);
  return end + text.length - (to - from);
}

/** Below 100 000. */
function writeWhole(whole: number, at: number): number {
  if (whole < 10) {
    bytes[at] = ZERO + whole;
    return at + 1;
  }
  if (whole < 100) {
    view.setUint16(at, TWO_DIGITS[whole]!, true);
    return at + 2;
  }
  if (whole < 1000) {
    view.setUint32(at, FOUR_DIGITS[whole]! >>> 8, true);
    return at + 3;
  }
  if (whole < 10_000) {
    view.setUint32(at, FOUR_DIGITS[whole]!, true);
    return at + 4;
  }
  const first = (whole / 10_000) | 0;
  bytes[at] = ZERO + first;
  view.setUint32(at + 1, FOUR_DIGITS[whole - first * 10_000]!, true);
  return at + 5;
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
  makeRoom(at + encoded.length);
  bytes.set(encoded, at);
  return at + encoded.length;
}

function writeEscaped(text: string, at: number): number {
  const ascii = asciiJson(text);
  makeRoom(at + ascii.length);
  return writeAscii(ascii, at);
}

function asciiJson(text: string): string {
  return JSON.stringify(text).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function grow(least: number): void {
  const larger = Buffer.alloc(Math.max(least, 2 * bytes.length));
  larger.set(bytes);
  bytes = larger;
  view = viewOf(larger);
}

function viewOf(buffer: Buffer): DataView {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

function bytesOf(digits: string): number {
  return Buffer.from(digits).reduceRight((word, digit) => word * 256 + digit, 0);
}
