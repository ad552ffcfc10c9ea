import { pipeline } from "node:stream/promises";
import { hasCode } from "../domain/cause-code.ts";
import { causeText } from "../domain/cause-text.ts";
import { exportedOutcomes } from "../outcomes/outcome-export.ts";
import { CommandFailure, parsedArguments, runCommand } from "./command-failure.ts";
import { withConfiguredRecords } from "./configured-records.ts";

const USAGE = `usage: npm run --silent outcomes -- export [--format csv|jsonl]

Writes every recorded outcome to standard output, as csv unless told otherwise, from the database that the service uses
(BREAKWATER_DATA_DIR, BREAKWATER_DATABASE_URL); the service may go on running.`;

/** Writes every recorded outcome to standard output. */
await runCommand(async () => {
  const { values, positionals } = parsedArguments(
    { allowPositionals: true, options: { format: { type: "string", default: "csv" } } },
    USAGE,
  );
  const { format } = values;
  if (positionals.join() !== "export") throw new CommandFailure(USAGE);
  if (format !== "csv" && format !== "jsonl") {
    throw new CommandFailure(`--format must be csv or jsonl, got "${format}"`);
  }
  await withConfiguredRecords(async ({ queries }) => {
    // A lost database and a closed pipe can look alike, and only the second is an end as good as any.
    let readFailure: unknown;
    const rows = async function* (): AsyncGenerator<string> {
      try {
        yield* exportedOutcomes(queries, format);
      } catch (cause) {
        readFailure = cause;
        throw cause;
      }
    };
    try {
      await pipeline(rows, process.stdout, { end: false });
    } catch (cause) {
      if (cause === readFailure) throw cause;
      // Whoever reads, head for one, has had enough.
      if (hasCode(cause, "EPIPE")) return;
      throw new CommandFailure(`standard output cannot be written: ${causeText(cause)}`, { cause });
    }
  });
});
