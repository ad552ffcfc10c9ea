import { callingThread, lowerPriority, NICER } from "../domain/thread-priority.ts";

/**
 * How a worker's thread is made nicer in the middle of a job: it says which thread it is, or finds at its start that it is
 * to be nicer.
 *
 * Shapes:  [its thread, 0 while not known; 1 once it is to be nicer], shared
 */
export type WorkerPriority = Int32Array;

const AT = { thread: 0, isNicer: 1 } as const;

export function createWorkerPriority(isNicer: boolean): WorkerPriority {
  const priority = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  priority[AT.isNicer] = isNicer ? 1 : 0;
  return priority;
}

/** To be called by the worker's thread. */
export function startPriority(priority: WorkerPriority): void {
  Atomics.store(priority, AT.thread, callingThread());
  if (Atomics.load(priority, AT.isNicer) === 1) lowerPriority(NICER.refit);
}

/** To be called by any other; of a thread that does not say yet which it is, it will find it at its start. */
export function makeNicer(priority: WorkerPriority): void {
  Atomics.store(priority, AT.isNicer, 1);
  const thread = Atomics.load(priority, AT.thread);
  if (thread !== 0) lowerPriority(NICER.refit, [thread]);
}
