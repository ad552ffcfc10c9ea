import { putAside, SPARE_BYTES, TEXT_MEMORY, withRoom, writeAscii } from "./text-memory.ts";

const bytes = new Uint8Array(TEXT_MEMORY);
const view = new DataView(TEXT_MEMORY);

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Where a text that was written before is kept, as JSON: words of eight bytes, the last of which may reach beyond it. */
export interface KeptText {
  readonly firstWord: number;
  readonly endWord: number;
  readonly lengthBytes: number;
}

/**
 * Texts that were written before, the model's own above all, each in a slot. When all slots are taken they are given
 * anew: a client's texts, which an answer repeats, cannot keep the model's out.
 */
const keptTexts = new Map<string, KeptText>();
const SLOTS = 256;
const SLOT_WORDS = 32;
const PIECE_WORDS = 4 * 1024;
const keptWords = new Float64Array(SLOTS * SLOT_WORDS + PIECE_WORDS);
const keptBytes = new Uint8Array(keptWords.buffer);
/** Pieces of the text lie behind the slots and are kept for good. */
let pieceEndWord = SLOTS * SLOT_WORDS;
/** A shorter text is copied sooner than found. */
const KEPT_LENGTH_MIN = 11;
const REQUEST_ID_LENGTH = 36;
const WALLET_LENGTH = 42;
/** A longer text is not written into the memory. */
const TEXT_LENGTH_MAX = SPARE_BYTES / 8;

/** A string as JSON; characters that are not ASCII are escaped. */
export function writeString(text: string, at: number): number {
  const { length } = text;
  if (length < KEPT_LENGTH_MIN || length === REQUEST_ID_LENGTH || length === WALLET_LENGTH) {
    return writeText(text, at);
  }
  const start = withRoom(at);
  const kept = keptTexts.get(text);
  return kept === undefined ? writeNewText(text, start) : writeKept(kept, start);
}

/** Takes a copy of what was just written; undefined where there is no room for it, or where it was put aside. */
export function keepText(start: number, end: number): KeptText | undefined {
  const kept = keptIn(pieceEndWord, keptWords.length, start, end);
  if (kept !== undefined) pieceEndWord = kept.endWord;
  return kept;
}

export function writeKept({ firstWord, endWord, lengthBytes }: KeptText, at: number): number {
  for (let i = firstWord, to = at; i < endWord; i++, to += 8) view.setFloat64(to, keptWords[i]!, true);
  return at + lengthBytes;
}

function writeNewText(text: string, at: number): number {
  if (text.length > TEXT_LENGTH_MAX) {
    putAside(bytes.subarray(0, at));
    return putAside(Buffer.from(asciiJson(text), "latin1"));
  }
  const end = writeText(text, at);
  if (keptTexts.size === SLOTS) keptTexts.clear();
  const firstWord = keptTexts.size * SLOT_WORDS;
  const kept = keptIn(firstWord, firstWord + SLOT_WORDS, at, end);
  if (kept !== undefined) keptTexts.set(text, kept);
  return end;
}

function keptIn(firstWord: number, limitWord: number, start: number, end: number): KeptText | undefined {
  const endWord = firstWord + Math.ceil((end - start) / 8);
  if (end <= start || endWord > limitWord) return undefined;
  keptBytes.set(bytes.subarray(start, end), 8 * firstWord);
  return { firstWord, endWord, lengthBytes: end - start };
}

function writeText(text: string, at: number): number {
  const { length } = text;
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

function asciiJson(text: string): string {
  return JSON.stringify(text).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
