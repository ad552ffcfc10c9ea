import { readConfig } from "../config.ts";
import { causeText } from "../domain/cause-text.ts";
import type { RecordDatabase } from "../outcomes/record-database.ts";
import { openRecords } from "../outcomes/record-location.ts";
import { prepareDataDirectory } from "../process/data-directory.ts";
import { CommandFailure } from "./command-failure.ts";

/** Opens the records that the environment names for as long as the body takes. Errors: ConfigError; CommandFailure. */
export async function withConfiguredRecords(
  body: (database: RecordDatabase) => Promise<void>,
): Promise<void> {
  const { dataDir, records } = readConfig();
  if (records.kind === "sqlite") prepareDataDirectory(dataDir);
  const database = await openRecords(records, () => undefined).catch((cause: unknown) => {
    throw new CommandFailure(`the records cannot be opened: ${causeText(cause)}`, { cause });
  });
  try {
    await body(database);
  } finally {
    await database.close();
  }
}
