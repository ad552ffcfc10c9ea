import { existsSync, mkdirSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import { ConfigError } from "../config.ts";
import { hasCode } from "../domain/cause-code.ts";
import { DATA_DIR, usable } from "./data-directory.ts";

const BOOT_ID_FILE = "/proc/sys/kernel/random/boot_id";

/** Taking a folder takes a millisecond: what is older was left by a process that was killed meanwhile. */
const TAKING_MS_MAX = 10_000;

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
 * end of the process; one that was killed leaves the lock to whoever comes next.
 *
 * Errors:  ConfigError while another process on this machine has the folder or takes it; one in another container is not
 *          seen; and when the file cannot be read or written
 */
export function lockDataDirectory(path: string, use = BY_SERVICE): () => void {
  const file = join(path, "lock");
  const inFile = <T>(act: () => T): T => usable(use.setting, file, act);
  // A lock of nobody's is replaced in two steps, which two starts at once must not both take.
  const endTurn = beginTurn(path, use);
  try {
    const holder = inFile(() => holderOf(file));
    if (holder !== null) throw refusal(use, `process ${holder} uses ${path}, says ${file}`);
    inFile(() => {
      rmSync(file, { force: true });
      writeFileSync(file, `${process.pid}\n${bootId() ?? ""}\n${beginningOf(process.pid)}\n`);
    });
  } finally {
    endTurn();
  }
  return () => {
    try {
      if (ownerIn(file).pid === process.pid) unlinkSync(file);
    } catch {
      // What is gone, or cannot be removed, is nobody's once this process has ended: no reason for it to end badly.
    }
  };
}

/** Of all that take the folder at this moment one has the turn: a directory, which one alone can make. */
function beginTurn(path: string, use: FolderUse): () => void {
  const turn = join(path, "lock.taking");
  const hasTurn = usable(use.setting, turn, () => {
    if (isMade(turn)) return true;
    const ageMs = Math.abs(Date.now() - statSync(turn).mtimeMs);
    if (ageMs < TAKING_MS_MAX) return false;
    rmSync(turn, { recursive: true, force: true });
    return isMade(turn);
  });
  if (!hasTurn) throw refusal(use, `another one takes ${path} just now, says ${turn}`);
  return () => rmSync(turn, { recursive: true, force: true });
}

function isMade(directory: string): boolean {
  try {
    mkdirSync(directory);
    return true;
  } catch (cause) {
    if (hasCode(cause, "EEXIST")) return false;
    throw cause;
  }
}

function refusal({ setting, user }: FolderUse, because: string): ConfigError {
  return new ConfigError(`${setting} must name a folder of its own for each ${user}: ${because}`);
}

/** The running process, another than this one, that a lock is of; null without. */
function holderOf(file: string): number | null {
  if (!existsSync(file)) return null;
  const { pid, boot, beginning } = ownerIn(file);
  const isHeld = isOfThisBoot(boot, file) && isRunning(pid) && isBeginningOf(pid, beginning);
  return pid !== process.pid && isHeld ? pid : null;
}

/** Whom a lock is of; boot and beginning are empty where they could not be told. */
function ownerIn(file: string): { readonly pid: number; readonly boot: string; readonly beginning: string } {
  const [pid, boot = "", beginning = ""] = readFileSync(file, "utf8").split("\n");
  return { pid: Number(pid), boot, beginning };
}

/** A number means nothing once the machine was started anew. Where that cannot be told by name, time tells it. */
function isOfThisBoot(boot: string, file: string): boolean {
  const current = bootId();
  if (boot !== "" && current !== null) return boot === current;
  return statSync(file).mtimeMs >= Date.now() - uptime() * 1_000;
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
  // A lock that could not be written, on a full disk, is nobody's.
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return hasCode(cause, "EPERM");
  }
}
