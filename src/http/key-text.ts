import { randomBytes } from "node:crypto";

const ID = /^[a-z0-9][a-z0-9-]{0,39}$/;
const TEXT = /^bw_([a-z0-9][a-z0-9-]{0,39})_[A-Za-z0-9_-]{43}$/;
const SECRET_BYTES = 32;

/** Lower-case letters, digits and dashes, at most 40. */
export function isKeyId(text: string): boolean {
  return ID.test(text);
}

/** A new key, bw_<id>_<256 random bits>: the id says whose it is, also in a leak, and finds its row. */
export function newKeyText(id: string): string {
  return `bw_${id}_${randomBytes(SECRET_BYTES).toString("base64url")}`;
}

/** The id that a token claims; undefined when it is not of the form of an issued key. */
export function keyIdOf(token: string): string | undefined {
  return TEXT.exec(token)?.[1];
}
