import { once } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { pino } from "pino";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { IssuedKey } from "../../src/domain/issued-key.ts";
import { createKey } from "../../src/outcomes/key-table.ts";
import type { RecordDatabase } from "../../src/outcomes/record-database.ts";
import { RecordsKeeper } from "../../src/records/records-keeper.ts";
import { newSqlitePath, opened, outcomeWith } from "../support/record-backends.ts";

// Mutants killed by hand: keys told at every look, or not at opening; a slower look; the calibration published at every
// look; looks queued behind a store that hangs; failures not complained of, or every time; an opening that fails while the
// keeper closes tried again.

const KEY: IssuedKey = {
  ...{ id: "desk", salt: "aa", hashHex: "00", rateLimitPerMinute: null, createdAtMs: 1 },
  ...{ expiresAtMs: null, revokedAtMs: null, lastUsedAtMs: null },
};

describe("RecordsKeeper", () => {
  afterEach(() => void vi.useRealTimers());

  it("tells of keys when it opens and half a second after a change, and writes nothing for looking", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const location = { kind: "sqlite", path: newSqlitePath() } as const;
    const other = await opened(location);
    const watched = new WatchedDatabase(await opened(location));
    const { keeper, told, untilTold } = keeperOf(() => Promise.resolve(watched));

    await untilTold(1);
    await turn();
    await createKey(other, KEY);
    vi.advanceTimersByTime(499);
    await turn();
    expect(told).toEqual([[]]);
    vi.advanceTimersByTime(1);
    await untilTold(2);
    await looks(5);
    await keeper.close();

    expect(told.map((keys) => keys.length)).toEqual([0, 1]);
    // The calibration in force.
    expect(watched.writes).toBe(1);
    await other.close();
  });

  it("asks a store that hangs again when it has answered, not once for every look", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const watched = new WatchedDatabase(await opened({ kind: "sqlite", path: newSqlitePath() }));
    let answer: () => void = () => undefined;
    const hang = new Promise<void>((resolve) => (answer = resolve));
    watched.beforeWrite = () => hang;
    const { keeper, untilTold } = keeperOf(() => Promise.resolve(watched));
    await untilTold(1);
    await turn();
    const before = watched.reads;

    await looks(10);
    answer();
    await keeper.close();

    expect(watched.reads).toBe(before);
  });

  it("complains of records that cannot be opened every ten seconds, though it tries every two", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    let attempts = 0;
    const { keeper, complaints } = keeperOf(() => {
      attempts++;
      return Promise.reject(new Error("away"));
    });

    await vi.advanceTimersByTimeAsync(21_000);
    await keeper.close();

    expect(attempts).toBe(11);
    expect(complaints).toEqual(Array(3).fill("records.open_failed"));
  });

  it("complains of what could not be written, each kind by itself", async () => {
    const watched = new WatchedDatabase(await opened({ kind: "sqlite", path: newSqlitePath() }));
    watched.beforeWrite = () => Promise.reject(new Error("disk full"));
    const { keeper, complaints, untilTold } = keeperOf(() => Promise.resolve(watched));
    await untilTold(1);

    await expect(keeper.record(outcomeWith())).rejects.toThrow("disk full");
    await keeper.close();

    expect([...complaints].sort()).toEqual(["records.failed", "records.write_failed"]);
  });

  it("does not try again to open what failed to while it closed", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let attempts = 0;
    let fail: (cause: Error) => void = () => undefined;
    const { keeper } = keeperOf(() => {
      attempts++;
      return new Promise((_, reject) => (fail = reject));
    });

    const closing = keeper.close();
    fail(new Error("away"));
    await closing;
    await vi.advanceTimersByTimeAsync(60_000);

    expect(attempts).toBe(1);
  });
});

/** So many looks at the keys, each done before the next is due. */
async function looks(count: number): Promise<void> {
  for (let look = 0; look < count; look++) {
    vi.advanceTimersByTime(500);
    await turn();
  }
}

function keeperOf(open: () => Promise<RecordDatabase>) {
  const told: (readonly IssuedKey[])[] = [];
  const complaints: string[] = [];
  const bell = new EventTarget();
  const write = (text: string): void => {
    complaints.push((JSON.parse(text) as { readonly event: string }).event);
  };
  const keeper = new RecordsKeeper({
    ...{ open, retentionDays: null, clock: { nowMs: () => 1 }, logger: pino({ level: "error" }, { write }) },
    onKeys: (keys) => {
      told.push(keys);
      bell.dispatchEvent(new Event("told"));
    },
    onWritable: () => undefined,
  });
  return {
    ...{ keeper, told, complaints },
    untilTold: async (times: number): Promise<void> => {
      while (told.length < times) await once(bell, "told");
    },
  };
}

/** Counts what is asked of a database; something may come before its writes. */
class WatchedDatabase implements RecordDatabase {
  readonly name = "sqlite";
  reads = 0;
  writes = 0;
  beforeWrite: () => Promise<void> = () => Promise.resolve();
  readonly #database: RecordDatabase;

  constructor(database: RecordDatabase) {
    this.#database = database;
  }

  get queries(): RecordDatabase["queries"] {
    this.reads++;
    return this.#database.queries;
  }

  async write<T>(body: Parameters<RecordDatabase["write"]>[0]): Promise<T> {
    this.writes++;
    await this.beforeWrite();
    return this.#database.write(body) as Promise<T>;
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
