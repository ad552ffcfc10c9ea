import { existsSync } from "node:fs";
import { readConfig } from "../config.ts";
import { causeText } from "../domain/cause-text.ts";
import type { RecordDatabase } from "../outcomes/record-database.ts";
import { isRecordsOutage } from "../outcomes/record-failures.ts";
import { openRecords } from "../outcomes/record-location.ts";
import { prepareDataDirectory } from "../process/data-directory.ts";
import { CommandFailure } from "./command-failure.ts";

/**
 * Opens the records that the environment names for as long as the body takes. Records that are not there are made only
 * where that is asked for: in a folder that was named by mistake nothing could be found.
 *
 * Errors:  ConfigError; CommandFailure
 */
export async function withConfiguredRecords(
  body: (database: RecordDatabase) => Promise<void>,
  { areMade }: { readonly areMade: boolean } = { areMade: false },
): Promise<void> {
  const { dataDir, records } = readConfig();
  if (records.kind === "sqlite") {
    if (areMade) prepareDataDirectory(dataDir);
    else if (!existsSync(records.path)) throw new CommandFailure(`there are no records at ${records.path}`);
  }
  const database = await openRecords(records, () => undefined).catch((cause: unknown) => {
    throw new CommandFailure(`the records cannot be opened: ${causeText(cause)}`, { cause });
  });
  try {
    await body(database).catch((cause: unknown) => {
      if (!isRecordsOutage(cause)) throw cause;
      throw new CommandFailure(`the records cannot be used: ${causeText(cause)}`, { cause });
    });
  } finally {
    await database.close();
  }
}
