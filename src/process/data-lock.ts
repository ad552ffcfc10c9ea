import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import { ConfigError } from "../config.ts";
import { hasCode } from "../domain/cause-code.ts";
import { DATA_DIR, usable } from "./data-directory.ts";

const BOOT_ID_FILE = "/proc/sys/kernel/random/boot_id";

/** Who takes a folder, for the sentence that refuses it. */
interface FolderUse {
  /** What named the folder. */
  readonly setting: string;
  /** What has a folder each. */
  readonly user: string;
}

const BY_SERVICE: FolderUse = { setting: DATA_DIR, user: "service" };

/**
 * Keeps the data folder for this process: two would each append to the same files. Returns what gives it back, for the
 * end of the process; one that was killed, at whatever step, leaves the lock to whoever comes next.
 *
 * The lock is a directory with one entry, named by whom it is of. It is made beside its place and moved there whole, which
 * the system refuses while the one in that place has an entry; and what is removed, of who is gone, is removed by its name.
 * So of all that come at once one has it, however long any of them stands still between two steps.
 *
 * Errors:  ConfigError while another process on this machine has the folder; one in another container is not seen; and
 *          when the lock cannot be read or made
 */
export function lockDataDirectory(path: string, use = BY_SERVICE): () => void {
  const lock = join(path, "locked-by");
  const made = `${lock}.${process.pid}`;
  const entry = [process.pid, beginningOf(process.pid), bootId() ?? ""].join("_");
  const inLock = <T>(act: () => T): T => usable(use.setting, lock, act);
  try {
    inLock(() => {
      // One of this number may have been killed here before.
      rmSync(made, { recursive: true, force: true });
      mkdirSync(join(made, entry), { recursive: true });
    });
    do {
      const holder = inLock(() => holderOf(lock));
      if (holder !== null) {
        throw refusal(
          use,
          `process ${holder} uses ${path}, says ${lock} (to be removed from a copy of a folder)`,
        );
      }
    } while (!inLock(() => isMoved(made, lock)));
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return () => {
    removeEmpty(join(lock, entry));
    removeEmpty(lock);
  };
}

/** Leaves one that has entries, is gone, or cannot be removed, which is nobody's once its process has ended. */
function removeEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // No reason for a process to end badly.
  }
}

/** Moves a directory to a place that is free or has an empty one; false where it has one with entries. */
function isMoved(from: string, to: string): boolean {
  removeEmpty(to);
  try {
    renameSync(from, to);
    return true;
  } catch (cause) {
    if (hasCode(cause, "ENOTEMPTY") || hasCode(cause, "EEXIST")) return false;
    throw cause;
  }
}

/** The running process, another than this one, that a lock is of; null without. What is of no running one is removed. */
function holderOf(lock: string): number | null {
  for (const name of namesIn(lock)) {
    const entry = join(lock, name);
    const [number, beginning = "", boot = ""] = name.split("_");
    const pid = Number(number);
    const isHeld = isOfThisBoot(boot, entry) && isRunning(pid) && isBeginningOf(pid, beginning);
    if (isHeld && pid !== process.pid) return pid;
    rmSync(entry, { recursive: true, force: true });
  }
  return null;
}

/** Of a lock's entries; none where there is no lock. */
function namesIn(lock: string): readonly string[] {
  try {
    return readdirSync(lock);
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return [];
    throw cause;
  }
}

function refusal({ setting, user }: FolderUse, because: string): ConfigError {
  return new ConfigError(`${setting} must name a folder of its own for each ${user}: ${because}`);
}

/** A number means nothing once the machine was started anew. Where that cannot be told by name, time tells it. */
function isOfThisBoot(boot: string, entry: string): boolean {
  const current = bootId();
  if (boot !== "" && current !== null) return boot === current;
  const madeAtMs = statSync(entry, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return madeAtMs >= Date.now() - uptime() * 1_000;
}

/** What the kernel calls the time since the machine started; null where it has no name for it. */
function bootId(): string | null {
  return existsSync(BOOT_ID_FILE) ? readFileSync(BOOT_ID_FILE, "utf8").trim() : null;
}

/** The number of one that is gone may be another's since, of a thread of this very process even; the beginning is not. */
function isBeginningOf(pid: number, beginning: string): boolean {
  const current = beginningOf(pid);
  return beginning === "" || current === "" || beginning === current;
}

/** When a process began, in the kernel's ticks since the boot; empty where the machine does not say. */
function beginningOf(pid: number): string {
  try {
    const facts = readFileSync(`/proc/${pid}/stat`, "utf8");
    // Counted from behind the program's name, which may have spaces and brackets: state is the third fact, this the 22nd.
    return facts.slice(facts.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}

function isRunning(pid: number): boolean {
  // Of a name that is not ours.
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return hasCode(cause, "EPERM");
  }
}
