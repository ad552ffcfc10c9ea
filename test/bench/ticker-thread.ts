import { parentPort, workerData } from "node:worker_threads";

/** Timers of the event loop count whole milliseconds; a thread that sleeps on a futex wakes within about 0.1 ms. */
export interface TickerData {
  readonly periodMs: number;
  readonly count: number;
}

if (parentPort !== null) {
  const { periodMs, count } = workerData as TickerData;
  const asleep = new Int32Array(new SharedArrayBuffer(4));
  const startMs = performance.timeOrigin + performance.now() + 50;
  for (let i = 0; i < count; i++) {
    const dueMs = startMs + i * periodMs;
    const waitMs = dueMs - performance.timeOrigin - performance.now();
    if (waitMs > 0) Atomics.wait(asleep, 0, 0, waitMs);
    parentPort.postMessage(dueMs);
  }
  parentPort.close();
}
