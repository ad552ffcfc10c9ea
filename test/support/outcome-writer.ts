import { writeSync } from "node:fs";
import type { Outcome } from "../../src/domain/trade-outcome.ts";
import { GroupCommit } from "../../src/outcomes/group-commit.ts";
import {
  OUTCOMES_PER_COMMIT_MAX,
  recordOutcomes,
  type RecordVerdict,
} from "../../src/outcomes/outcome-table.ts";
import { openRecords, type RecordLocation } from "../../src/outcomes/record-location.ts";

/** What the program is told in its environment, as JSON. */
export interface WriterTask {
  readonly location: RecordLocation;
  /** Part of every trade_id. */
  readonly run: string;
  readonly outcome: Outcome;
  /** Writers go on after a failure instead of ending. */
  readonly isPatient: boolean;
}

const WRITERS = 8;

/** The program that tests kill: eight writers that share commits, each printing a trade_id once it is acknowledged. */
async function main({ location, run, outcome, isPatient }: WriterTask): Promise<void> {
  const database = await openRecords(location, () => undefined);
  const commits = new GroupCommit<Outcome, RecordVerdict>(
    (items) => recordOutcomes(database, items, Date.now()),
    OUTCOMES_PER_COMMIT_MAX,
  );
  let written = 0;
  const write = async (writer: number): Promise<void> => {
    for (;;) {
      written += 1;
      const tradeId = `${run}-${writer}-${written}`;
      try {
        const verdict = await commits.add({ ...outcome, tradeId, pnlUsd: written });
        writeSync(1, `${verdict} ${tradeId}\n`);
      } catch (cause) {
        writeSync(1, `refused ${String(cause)}\n`);
        if (!isPatient) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  await database.close();
}

void main(JSON.parse(process.env["WRITER_TASK"]!) as WriterTask);
