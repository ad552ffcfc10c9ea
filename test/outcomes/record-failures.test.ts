import { describe, expect, it } from "vitest";
import { recordsFailure } from "../../src/outcomes/record-failures.ts";

const failed = (code: string): Error => Object.assign(new Error(`says ${code}`), { code });

// Mutants killed by hand: codes matched in part; constraint violations and errors of Node.js counted as the disk's.
describe("a failure of the records in the log", () => {
  it.each([
    "SQLITE_FULL",
    "SQLITE_IOERR_WRITE",
    "SQLITE_BUSY",
    "ENOSPC",
    "ECONNRESET",
    "53100",
    "57P01",
    "08006",
  ])("is one sentence for what is wrong with the disk, the file, the server or the way to it: %s", (code) => {
    expect(recordsFailure(failed(code))).toEqual({ detail: `says ${code}` });
  });

  it.each(["SQLITE_CONSTRAINT_UNIQUE", "SQLITE_ERROR", "23505", "42P01", "ERR_INVALID_ARG_TYPE"])(
    "has its stack for what may be a defect: %s",
    (code) => {
      const cause = failed(code);
      expect(recordsFailure(cause)).toEqual({ err: cause });
    },
  );
});
