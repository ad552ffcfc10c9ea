import { createRandom, type Random } from "../math/random.ts";

/** A labelled stream of seeded random numbers: streams of one seed are independent, and each is always the same. */
export class NoiseStream {
  readonly #random: Random;

  constructor(seed: number, label: string) {
    this.#random = createRandom(mixHash(seed, hashOfText(label)) >>> 0);
  }

  /** Uniform in (0, 1), never an end point. */
  uniform(): number {
    return this.#random.uniform();
  }

  normal(): number {
    return this.#random.normal();
  }

  /** Student-t with the given degrees of freedom (> 2) scaled to unit variance. Source: Bailey (1994), polar form. */
  unitStudentT(degreesOfFreedom: number): number {
    for (;;) {
      const u = 2 * this.#random.uniform() - 1;
      const v = 2 * this.#random.uniform() - 1;
      const w = u * u + v * v;
      if (w >= 1) continue;
      const t = u * Math.sqrt((degreesOfFreedom * (Math.pow(w, -2 / degreesOfFreedom) - 1)) / w);
      return t * Math.sqrt((degreesOfFreedom - 2) / degreesOfFreedom);
    }
  }
}

/** One 32-bit hash of two 32-bit words (the finaliser of MurmurHash3 after a multiply-add). */
export function mixHash(a: number, b: number): number {
  let h = (Math.imul(a, 0x9e3779b1) + Math.imul(b ^ 0x85ebca6b, 0xc2b2ae35)) | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** Uniform in (0, 1) that depends only on the words: for noise that must be the same whenever it is looked at. */
export function hashUniform(a: number, b: number): number {
  return ((mixHash(a, b) >>> 0) + 0.5) / 4294967296;
}

/** FNV-1a over the UTF-16 units of a text. */
export function hashOfText(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h | 0;
}

/** A hexadecimal string of the given byte count that depends only on its words: made-up hashes and addresses. */
export function hashHex(a: number, b: number, byteCount: number): `0x${string}` {
  let text = "";
  for (let i = 0; text.length < 2 * byteCount; i++) {
    text += (mixHash(mixHash(a, b), i) >>> 0).toString(16).padStart(8, "0");
  }
  return `0x${text.slice(0, 2 * byteCount)}`;
}
