import { once } from "node:events";
import { parseArgs } from "node:util";
import { readConfig } from "../config.ts";
import { exportedOutcomes } from "../outcomes/outcome-export.ts";
import { openRecords } from "../outcomes/record-location.ts";
import { CommandFailure, runCommand } from "./command-failure.ts";

const USAGE = "usage: outcomes export [--format csv|jsonl]";

/** Writes every recorded outcome to standard output; the service may go on running. */
await runCommand(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { format: { type: "string", default: "csv" } },
  });
  const { format } = values;
  if (positionals[0] !== "export" || (format !== "csv" && format !== "jsonl"))
    throw new CommandFailure(USAGE);
  const database = await openRecords(readConfig().records, () => undefined);
  try {
    for await (const text of exportedOutcomes(database.queries, format)) {
      if (!process.stdout.write(text)) await once(process.stdout, "drain");
    }
  } finally {
    await database.close();
  }
});
