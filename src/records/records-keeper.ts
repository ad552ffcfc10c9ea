import { setImmediate as turn } from "node:timers/promises";
import type { Logger } from "pino";
import type { Clock } from "../domain/clock.ts";
import { DAY_MS, HOUR_MS } from "../domain/bar.ts";
import type { IssuedKey } from "../domain/issued-key.ts";
import type { Outcome } from "../domain/trade-outcome.ts";
import { publishCalibration } from "../outcomes/calibration-table.ts";
import { GroupCommit } from "../outcomes/group-commit.ts";
import { issuedKeys, noteKeyUse } from "../outcomes/key-table.ts";
import {
  deleteOutcomesBefore,
  OUTCOMES_PER_COMMIT_MAX,
  recordOutcomes,
  type RecordVerdict,
} from "../outcomes/outcome-table.ts";
import { type RecordDatabase, revisionOf } from "../outcomes/record-database.ts";
import { CALIBRATION_HASH } from "../risk/calibration/calibration-hash.ts";
import { SCORE } from "../risk/calibration/calibration.ts";
import { RecordsComplaints } from "./records-complaints.ts";

export interface RecordsKeeperOptions {
  readonly open: () => Promise<RecordDatabase>;
  /** Null keeps outcomes for ever. */
  readonly retentionDays: number | null;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Every key ever issued, at opening and whenever one was created or revoked. */
  readonly onKeys: (keys: readonly IssuedKey[]) => void;
  /** Whether outcomes can be recorded, as far as is known, whenever that has changed; not before it opens. */
  readonly onWritable: (isWritable: boolean) => void;
}

const REOPEN_MS = 2_000;
/** How soon a revocation takes effect. */
const KEY_POLL_MS = 500;
const RETENTION_EVERY_MS = HOUR_MS;

/**
 * The one writer of a process. Opens the records and keeps trying while they cannot be opened; records outcomes in
 * shared commits; tells of keys; deletes by age where that is asked for.
 */
export class RecordsKeeper {
  readonly #options: RecordsKeeperOptions;
  readonly #commits: GroupCommit<Outcome, RecordVerdict>;
  readonly #complaints: RecordsComplaints;
  readonly #intervals: readonly NodeJS.Timeout[];
  #database: RecordDatabase | undefined;
  #reopening: NodeJS.Timeout | undefined;
  #task: Promise<void>;
  #keysRevision: number | undefined;
  #isPublished = false;
  #isPolling = false;
  /** By the last poll. */
  #isAnswering = false;
  /** Of outcomes, the last. */
  #hasWriteFailed = false;
  #isWritable = false;
  #isClosing = false;

  constructor(options: RecordsKeeperOptions) {
    this.#options = options;
    this.#complaints = new RecordsComplaints(options.logger);
    this.#commits = new GroupCommit((outcomes) => this.#record(outcomes), OUTCOMES_PER_COMMIT_MAX);
    this.#intervals = [
      setInterval(() => this.#pollKeys(), KEY_POLL_MS),
      setInterval(() => this.#queue((database) => this.#deleteOld(database)), RETENTION_EVERY_MS),
    ];
    this.#task = this.#open();
  }

  /** Resolves once durable; rejects when that cannot be had, and then promises nothing. */
  record(outcome: Outcome): Promise<RecordVerdict> {
    return this.#commits.add(outcome);
  }

  noteKeyUse(lastUsedAtMs: ReadonlyMap<string, number>): void {
    this.#queue(async (database) => noteKeyUse(database, lastUsedAtMs));
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#intervals.forEach(clearInterval);
    clearTimeout(this.#reopening);
    await this.#task;
    const database = this.#database;
    this.#database = undefined;
    await database?.close();
  }

  async #record(outcomes: readonly Outcome[]): Promise<readonly RecordVerdict[]> {
    if (this.#database === undefined) throw new Error("the records are not open");
    try {
      const verdicts = await recordOutcomes(this.#database, outcomes, this.#options.clock.nowMs());
      this.#hasWriteFailed = false;
      return verdicts;
    } catch (cause) {
      this.#hasWriteFailed = true;
      this.#complaints.log("records.write_failed", cause);
      throw cause;
    } finally {
      this.#tellWritable();
    }
  }

  async #open(): Promise<void> {
    try {
      const database = await this.#options.open();
      this.#database = database;
      this.#options.logger.info({ event: "records.opened", database: database.name }, "the records are open");
    } catch (cause) {
      this.#complaints.log("records.open_failed", cause);
      if (!this.#isClosing)
        this.#reopening = setTimeout(() => {
          this.#task = this.#open();
        }, REOPEN_MS);
      return;
    }
    this.#pollKeys();
    this.#queue((database) => this.#deleteOld(database));
  }

  /**
   * One thing after another, each on an open database; what fails is complained of and tried again by its timer. Nothing
   * more once it closes, not even what a database that opens meanwhile begins with: close waits for what is queued.
   */
  #queue(task: (database: RecordDatabase) => Promise<void>): void {
    const database = this.#database;
    if (database === undefined || this.#isClosing) return;
    this.#task = this.#task.then(async () => {
      try {
        await task(database);
      } catch (cause) {
        this.#complaints.log("records.failed", cause);
      }
    });
  }

  /** A store that hangs is asked again once it has answered, not once a poll. */
  #pollKeys(): void {
    if (this.#isPolling || this.#database === undefined) return;
    this.#isPolling = true;
    this.#queue(async (database) => {
      try {
        await this.#tell(database);
        this.#isAnswering = true;
      } catch (cause) {
        this.#isAnswering = false;
        throw cause;
      } finally {
        this.#isPolling = false;
        this.#tellWritable();
      }
    });
  }

  #tellWritable(): void {
    const isWritable = this.#isAnswering && !this.#hasWriteFailed;
    if (isWritable === this.#isWritable) return;
    this.#isWritable = isWritable;
    this.#options.onWritable(isWritable);
  }

  /** Tells whoever asked of the keys, and the store of the calibration in force. */
  async #tell(database: RecordDatabase): Promise<void> {
    const revision = await revisionOf(database.queries, "keys");
    if (revision !== this.#keysRevision) {
      this.#options.onKeys(await issuedKeys(database.queries));
      this.#keysRevision = revision;
    }
    if (!this.#isPublished) {
      const nowMs = this.#options.clock.nowMs();
      await publishCalibration(database, CALIBRATION_HASH, SCORE.adverseCurve.value, nowMs);
      this.#isPublished = true;
    }
  }

  /** Some, then what has come meanwhile, outcomes and polls, then the rest: a driver that blocks leaves no turn of its own. */
  async #deleteOld(database: RecordDatabase, before = 0): Promise<void> {
    const { retentionDays, clock, logger } = this.#options;
    if (retentionDays === null) return;
    const { deleted, isMore } = await deleteOutcomesBefore(database, clock.nowMs() - retentionDays * DAY_MS);
    const total = before + deleted;
    if (isMore) {
      await turn();
      this.#queue((next) => this.#deleteOld(next, total));
    } else if (total > 0)
      logger.info({ event: "records.deleted", deleted: total }, "deleted outcomes past their age");
  }
}
