import { expect, it } from "vitest";
import { copiedText } from "../../src/http/endpoint.ts";

// Mutants killed by hand: texts that are bytes not copied; copied by a slice, which of a Buffer is a view.

it.each([new Uint8Array(1_000), Buffer.alloc(1_000)])("copies a text into memory of its own", (memory) => {
  memory.fill(0x61);
  const copy = copiedText(memory.subarray(10, 13));
  memory.fill(0x62);

  expect(copy).toEqual(new TextEncoder().encode("aaa"));
  expect((copy as Uint8Array).buffer.byteLength).toBe(3);
  expect(copiedText("aaa")).toBe("aaa");
});
