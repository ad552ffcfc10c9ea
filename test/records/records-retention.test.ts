import { once } from "node:events";
import { pino } from "pino";
import { afterEach, describe, expect, it, vi } from "vitest";
import { outcomesAfter, recordOutcomes } from "../../src/outcomes/outcome-table.ts";
import { RecordsKeeper } from "../../src/records/records-keeper.ts";
import { newSqlitePath, opened, outcomeWith } from "../support/record-backends.ts";

const DAY_MS = 24 * 3_600_000;
const START_MS = Date.UTC(2026, 10, 20);

describe("RecordsKeeper", () => {
  afterEach(() => void vi.useRealTimers());

  it("deletes what is past its age when it opens, and with every hour that it runs", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const location = { kind: "sqlite", path: newSqlitePath() } as const;
    const other = await opened(location);
    await recordOutcomes(other, [outcomeWith({ tradeId: "old" })], START_MS - 31 * DAY_MS);
    let nowMs = START_MS;
    const { logger, deleted, untilDeleted } = deletions();

    const keeper = new RecordsKeeper({
      ...{ open: () => opened(location), retentionDays: 30, clock: { nowMs: () => nowMs }, logger },
      onKeys: () => undefined,
      onWritable: () => undefined,
    });
    await untilDeleted(1);
    for (const tradeId of ["a", "b"]) await keeper.record(outcomeWith({ tradeId }));
    nowMs += 30 * DAY_MS + 1;
    vi.advanceTimersByTime(3_599_999);
    await keeper.record(outcomeWith({ tradeId: "c" }));
    expect(deleted).toEqual([1]);
    vi.advanceTimersByTime(1);
    await untilDeleted(2);
    await keeper.close();

    expect(deleted).toEqual([1, 2]);
    expect((await outcomesAfter(other.queries, 0, 10)).map(({ tradeId }) => tradeId)).toEqual(["c"]);
    expect(vi.getTimerCount()).toBe(0);
    await other.close();
  });
});

/** How many outcomes each line of the log says were deleted. */
function deletions() {
  const deleted: number[] = [];
  const bell = new EventTarget();
  const write = (text: string): void => {
    const line = JSON.parse(text) as { readonly event: string; readonly deleted: number };
    if (line.event !== "records.deleted") return;
    deleted.push(line.deleted);
    bell.dispatchEvent(new Event("deleted"));
  };
  return {
    logger: pino({ level: "info" }, { write }),
    deleted,
    untilDeleted: async (times: number): Promise<void> => {
      while (deleted.length < times) await once(bell, "deleted");
    },
  };
}
