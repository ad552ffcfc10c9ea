import { randomFillSync } from "node:crypto";

/** Ids made at a time. */
const BLOCK = 128;
const ID_BYTES = 16;
const ID_LENGTH = 36;
const DASH = 0x2d;
const DIGITS = Buffer.from("0123456789abcdef");

const random = Buffer.alloc(BLOCK * ID_BYTES);
const text = Buffer.alloc(BLOCK * ID_LENGTH);
let ids = "";
let used = BLOCK;

/**
 * A random id, 122 bits of the operating system's generator. Ids are cut from the text of a block: put together one by
 * one, each would be a tree of parts that is copied before it can be read.
 *
 * Source: RFC 9562, 2024, section 5.4: UUID version 4
 */
export function newRequestId(): string {
  if (used === BLOCK) makeBlock();
  const start = ID_LENGTH * used++;
  return ids.slice(start, start + ID_LENGTH);
}

function makeBlock(): void {
  randomFillSync(random);
  let to = 0;
  for (let from = 0; from < random.length; from += ID_BYTES) {
    random[from + 6] = (random[from + 6]! & 0x0f) | 0x40;
    random[from + 8] = (random[from + 8]! & 0x3f) | 0x80;
    for (let i = 0; i < ID_BYTES; i++) {
      if (i === 4 || i === 6 || i === 8 || i === 10) text[to++] = DASH;
      const byte = random[from + i]!;
      text[to++] = DIGITS[byte >> 4]!;
      text[to++] = DIGITS[byte & 0x0f]!;
    }
  }
  ids = text.toString("latin1");
  used = 0;
}
