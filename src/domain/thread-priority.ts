import { readdirSync, readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/**
 * How much nicer than the program the threads are that nobody waits for; the answering thread stays as the program was
 * started. The kernel gives a thread a share of a busy core by its niceness, but one that wakes may wait until a nicer one
 * has had its slice (DECISIONS 73): where there are fewer cores than threads that can run, that is what an answer waits for.
 */
export const NICER = {
  /** Must keep up with the market, but a snapshot may be a millisecond later. */
  engine: 5,
  /** Statistics of outcomes. */
  accuracy: 10,
  /** Fits, sheets, replays: minutes of work at a stretch. */
  refit: 15,
  /**
   * V8's helpers compile for all threads, and mark and sweep all heaps: most of that is the engine's and the fits'. No nicer
   * than the engine: the answering thread's collections wait until those that compile have come to a safe point.
   */
  runtime: 5,
} as const;

const NICEST = 19;
const CALLING_THREAD = 0;

/** Makes threads nicer, the calling one alone unless others are given. Linux only: elsewhere the call means the process. */
export function lowerPriority(nicer: number, threads: readonly number[] = [CALLING_THREAD]): void {
  if (process.platform !== "linux") return;
  for (const thread of threads) {
    try {
      setPriority(thread, Math.min(NICEST, getPriority(process.pid) + nicer));
    } catch {
      // One that has ended meanwhile delays nobody, and where a sandbox refuses the calls, answers are slower under fits.
    }
  }
}

/** The system's number of the calling thread, by which another can make it nicer; 0 where there is none to be had. */
export function callingThread(): number {
  try {
    return Number(readlinkSync("/proc/thread-self").split("/").at(-1));
  } catch {
    return 0;
  }
}

/**
 * The threads that the runtime has started by itself; to be asked for before the program starts its own. None where the
 * system does not list them: slower answers under fits are no reason not to start.
 */
export function runtimeThreads(): readonly number[] {
  if (process.platform !== "linux") return [];
  try {
    return readdirSync("/proc/self/task")
      .map(Number)
      .filter((thread) => thread !== process.pid);
  } catch {
    return [];
  }
}
