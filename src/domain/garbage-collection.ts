import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Every thread collects its young objects by itself, at its own priority, from here on. V8 would have its helper threads
 * take part, which belong to all heaps: with fewer cores than threads that can run, the engine's and the fits'
 * collections then take the cores from the answering thread, and its own wait for helpers that wait for a core.
 */
export function collectYoungObjectsAlone(): void {
  setFlagsFromString("--no-parallel-scavenge");
}

/** Far more than there are threads that start at once. */
const ATTEMPTS_MAX = 1_000;

/**
 * A function that collects the heap of its thread whole. V8 by itself waits until a heap has grown to several times its
 * content, and does not count what shared memory outside it a small object keeps. Takes some tens of milliseconds, on the
 * calling thread only.
 */
export function heapCollection(): () => void {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("globalThis.gc") as (() => void) | undefined;
    // The flag is the process's: a thread that is ended while it starts would print that its own cannot be installed.
    setFlagsFromString("--no-expose-gc");
    // Undefined where another thread has taken the flag back just then.
    if (collect !== undefined) return collect;
  }
  throw new Error("V8 gives no function that collects its heap");
}

/** A sheet is drawn when histories were read or an hour is over: what that left behind is garbage this much later. */
const SETTLING_MS = 15_000;

/**
 * A function to call when much was allocated: some seconds later the heap of this thread is collected, once for all calls
 * until then. Reading 230 histories leaves 200 MB that an hour of ordinary work would not have V8 collect.
 */
export function laterCollection(): () => void {
  const collect = heapCollection();
  let timer: NodeJS.Timeout | undefined;
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      collect();
    }, SETTLING_MS).unref();
  };
}

/** A client that has not asked for so long is not likely to ask within a pause of some tens of milliseconds. */
const IDLE_MS = 3_000;

/**
 * A function to call when much was let go of on a thread that somebody waits for: its heap is collected as soon as nothing
 * was asked of it for some seconds, by a count of requests that only grows; once for all calls until then. On a thread
 * that is asked all the time V8 collects often enough by itself.
 */
export function idleCollection(requests: () => number): () => void {
  const collect = heapCollection();
  let looking: NodeJS.Timeout | undefined;
  return () => {
    clearInterval(looking);
    let seen = requests();
    looking = setInterval(() => {
      const before = seen;
      seen = requests();
      if (seen !== before) return;
      clearInterval(looking);
      collect();
    }, IDLE_MS).unref();
  };
}
