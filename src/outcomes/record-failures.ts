import { codeOf } from "../domain/cause-code.ts";
import { causeText } from "../domain/cause-text.ts";

/** The records are out of reach; the message says which, without the URL, and why. */
export class RecordsUnopened extends Error {
  override readonly name = "RecordsUnopened";
}

/** The file cannot be trusted: it is damaged, or lies where durable writes are not to be had. */
export class UnusableFileError extends Error {
  override readonly name = "UnusableFileError";
}

/**
 * Codes of what is wrong with the disk, the file, the server or the way to it, and not with a statement of ours: the
 * system's, SQLite's (https://www.sqlite.org/rescode.html), and PostgreSQL's classes 08, 28, 53, 57 and 58, and those of a
 * server that only reads, a database that is not there and a right that was not given
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const OUTSIDE =
  /^(E[A-Z0-9]+|SQLITE_(BUSY|CANTOPEN|CORRUPT|FULL|IOERR|NOTADB|READONLY)(_[A-Z]+)*|(08|28|5[378]).{3}|25006|3D000|42501)$/;
/** What PostgreSQL's driver says, without any code, where the server does not. */
const UNANSWERED =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** Whether a sentence says all that there is to say of a failure of the records. */
export function isRecordsOutage(cause: unknown): boolean {
  if (cause instanceof RecordsUnopened || cause instanceof UnusableFileError) return true;
  return OUTSIDE.test(codeOf(cause) ?? "") || UNANSWERED.test(causeText(cause));
}

/** A failure as a log line has it: a cause outside in one sentence, anything else with its stack. */
export function recordsFailure(cause: unknown): { readonly detail: string } | { readonly err: unknown } {
  return isRecordsOutage(cause) ? { detail: causeText(cause) } : { err: cause };
}
