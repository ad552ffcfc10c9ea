import { describe, expect, it } from "vitest";
import { RecordsUnopened, recordsFailure, UnusableFileError } from "../../src/outcomes/record-failures.ts";

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
    "25006",
    "08006",
    "28P01",
    "3D000",
    "42501",
  ])("is one sentence for what is wrong with the disk, the file, the server or the way to it: %s", (code) => {
    expect(recordsFailure(failed(code))).toEqual({ detail: `says ${code}` });
  });

  it.each([
    "Connection terminated unexpectedly",
    "Connection terminated due to connection timeout",
    "Query read timeout",
    "timeout exceeded when trying to connect",
    "Client has encountered a connection error and is not queryable",
  ])("is one sentence for what the driver says without a code: %s", (sentence) => {
    expect(recordsFailure(new Error(sentence))).toEqual({ detail: sentence });
  });

  it.each([new RecordsUnopened("no such server"), new UnusableFileError("the file is damaged")])(
    "is one sentence for records that cannot be had: $message",
    (cause) => {
      expect(recordsFailure(cause)).toEqual({ detail: cause.message });
    },
  );

  it.each(["SQLITE_CONSTRAINT_UNIQUE", "SQLITE_ERROR", "23505", "42P01", "ERR_INVALID_ARG_TYPE"])(
    "has its stack for what may be a defect: %s",
    (code) => {
      const cause = failed(code);
      expect(recordsFailure(cause)).toEqual({ err: cause });
    },
  );
});
