/**
 * What every text is written into, one at a time: a text is read out before the next is begun. A constant, because the
 * optimiser then knows its address and length, of which each module makes views of its own for the same reason; pages
 * that no text reaches are never touched. A function that writes takes the place to write at and returns the place after
 * what it wrote.
 */
export const TEXT_MEMORY = new ArrayBuffer(4 * 1024 * 1024);
const bytes = new Uint8Array(TEXT_MEMORY);

/** At most so much is written between two looks at the room that is left. */
export const SPARE_BYTES = 64 * 1024;
const ROOM_END = TEXT_MEMORY.byteLength - SPARE_BYTES;
/** What was written of the text before the memory was full. */
let pieces: Uint8Array[] = [];

/** Begins a text. */
export function beginText(): void {
  if (pieces.length > 0) pieces = [];
}

/** The text up to here; valid until the next is begun. */
export function textUpTo(end: number): Uint8Array {
  const last = new Uint8Array(TEXT_MEMORY, 0, end);
  return pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
}

/** Where to go on before something that may be long: at the start, with what is written put aside, when little is left. */
export function withRoom(at: number): number {
  return at <= ROOM_END ? at : putAside(bytes.subarray(0, at));
}

/** Takes a copy of a piece of the text; the next is written at the start. */
export function putAside(piece: Uint8Array): number {
  pieces.push(piece.slice());
  return 0;
}

/** For what is rare: character by character, ASCII as it is. */
export function writeAscii(text: string, at: number): number {
  for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i);
  return at + text.length;
}
