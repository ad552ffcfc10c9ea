import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

// Mutants killed: nothing detached, the memory shared.

const MODULE = new URL("../../dist/process/detached-memory.js", import.meta.url);

it("has V8 compile for memory that may be detached, from then on", () => {
  const invalidated = (code: string): string => {
    const args = ["--trace-protector-invalidation", "--input-type=module", "--eval", code];
    return spawnSync(process.execPath, args, { encoding: "utf8" }).stdout;
  };
  const detachMemoryOnce = `const { detachMemoryOnce } = await import("${MODULE.href}");`;
  expect(invalidated(detachMemoryOnce)).not.toContain("ArrayBufferDetaching");
  expect(invalidated(`${detachMemoryOnce} detachMemoryOnce();`)).toContain("ArrayBufferDetaching");
});
