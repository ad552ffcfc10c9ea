import { expect, it } from "vitest";
import { copiedText } from "../../src/http/endpoint.ts";

// Mutant killed by hand: texts that are bytes not copied.

it("copies a text into memory of its own, of its length", () => {
  const memory = new Uint8Array(1_000).fill(0x61);
  const copy = copiedText(memory.subarray(10, 13));
  memory.fill(0x62);

  expect(copy).toEqual(new TextEncoder().encode("aaa"));
  expect((copy as Uint8Array).buffer.byteLength).toBe(3);
  expect(copiedText("aaa")).toBe("aaa");
});
