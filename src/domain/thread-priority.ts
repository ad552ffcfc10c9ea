import { readdirSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/**
 * How much nicer the threads are that nobody waits for; the answering thread stays as the program was started. The kernel
 * gives a thread a share of a busy core by its niceness, but one that wakes may wait until a nicer one has had its slice
 * (DECISIONS 73): where there are fewer cores than threads that can run, that is what an answer waits for.
 */
export const NICER = {
  /** Must keep up with the market, but a snapshot may be a millisecond later. */
  engine: 5,
  /** Statistics of outcomes. */
  accuracy: 10,
  /** Fits, sheets, replays: minutes of work at a stretch. On top of the engine's, which starts these threads. */
  refit: 10,
  /** V8's helpers compile for all threads, and mark and sweep all heaps: most of that is the engine's and the fits'. */
  runtime: 10,
} as const;

const NICEST = 19;

/** Makes the calling thread nicer than it is, alone of its process. Linux only: elsewhere the call means the process. */
export function lowerThreadPriority(nicer: number): void {
  if (process.platform === "linux") setPriority(0, Math.min(NICEST, getPriority(0) + nicer));
}

/**
 * Makes the threads nicer that the runtime has started by itself; to be called before the program starts its own.
 * Linux only; nothing is done where the system does not list them.
 */
export function lowerRuntimePriority(nicer: number): void {
  if (process.platform !== "linux") return;
  const niceness = Math.min(NICEST, getPriority(0) + nicer);
  try {
    for (const thread of readdirSync("/proc/self/task").map(Number)) {
      if (thread !== process.pid) setPriority(thread, niceness);
    }
  } catch {
    // Slower answers under fits are no reason not to start.
  }
}
