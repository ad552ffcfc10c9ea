import type { Worker } from "node:worker_threads";

/** How long a thread may take to close its sockets and files. */
const STOP_TIMEOUT_MS = 5_000;

/**
 * Tells a thread to stop, and ends it where it has not ended by itself in time. Resolves when it has ended: whether by
 * itself.
 */
export async function endThread(
  worker: Worker,
  message: unknown,
  timeoutMs: number = STOP_TIMEOUT_MS,
): Promise<boolean> {
  const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  worker.postMessage(message);
  let isByItself = true;
  const timer = setTimeout(() => {
    isByItself = false;
    void worker.terminate();
  }, timeoutMs);
  await ended;
  clearTimeout(timer);
  return isByItself;
}
