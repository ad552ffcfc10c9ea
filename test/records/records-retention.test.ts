import { once } from "node:events";
import { pino } from "pino";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { IssuedKey } from "../../src/domain/issued-key.ts";
import { createKey } from "../../src/outcomes/key-table.ts";
import { OUTCOMES_PER_COMMIT_MAX, outcomesAfter, recordOutcomes } from "../../src/outcomes/outcome-table.ts";
import { RecordsKeeper } from "../../src/records/records-keeper.ts";
import { newSqlitePath, opened, outcomeWith } from "../support/record-backends.ts";

const DAY_MS = 24 * 3_600_000;
const START_MS = Date.UTC(2026, 10, 20);
const KEY: IssuedKey = {
  ...{ id: "desk", salt: "aa", hashHex: "00", rateLimitPerMinute: null, createdAtMs: 1 },
  ...{ expiresAtMs: null, revokedAtMs: null, lastUsedAtMs: null },
};

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

  it("records outcomes and tells of keys while it deletes many", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const location = { kind: "sqlite", path: newSqlitePath() } as const;
    const other = await opened(location);
    for (let i = 0; i < 11; i += 1) {
      const old = Array.from({ length: OUTCOMES_PER_COMMIT_MAX }, (_, k) =>
        outcomeWith({ tradeId: `${i}-${k}` }),
      );
      await recordOutcomes(other, old, START_MS - 31 * DAY_MS);
    }
    const database = await opened(location);
    const order: string[] = [];
    const { logger, deleted, untilDeleted } = deletions();
    let writes = 0;
    const keeper: RecordsKeeper = new RecordsKeeper({
      open: () =>
        Promise.resolve({ ...database, write: (body) => duringDeletion(() => database.write(body)) }),
      ...{ retentionDays: 30, clock: { nowMs: () => START_MS }, logger },
      onKeys: (keys) => order.push(`${keys.length} keys, ${deleted.length} deletions`),
      onWritable: () => undefined,
    });
    // The first write is the calibration in force.
    const duringDeletion = async <T>(write: () => Promise<T>): Promise<T> => {
      writes += 1;
      if (writes === 2) {
        await createKey(other, KEY);
        vi.advanceTimersByTime(500);
        void keeper
          .record(outcomeWith({ tradeId: "new" }))
          .then((verdict) => order.push(`${verdict}, ${deleted.length} deletions`));
      }
      return write();
    };
    await untilDeleted(1);
    await keeper.close();

    expect(deleted).toEqual([11 * OUTCOMES_PER_COMMIT_MAX]);
    expect(order.toSorted()).toEqual(["0 keys, 0 deletions", "1 keys, 0 deletions", "recorded, 0 deletions"]);
    expect((await outcomesAfter(other.queries, 0, 10)).map(({ tradeId }) => tradeId)).toEqual(["new"]);
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
