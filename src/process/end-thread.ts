import type { Worker } from "node:worker_threads";
import { withinMs } from "../domain/within-ms.ts";

/** How long a thread may take to close its sockets and files. */
const STOP_TIMEOUT_MS = 5_000;

export interface EndThreadOptions {
  /** How long it may take to end; some seconds unless said. */
  readonly timeoutMs?: number | undefined;
  /** For one that the process must not outlive: it is left to the process's end. */
  readonly isLeft?: boolean | undefined;
}

/**
 * Tells a thread to stop, and ends it where it has not ended by itself in time. Resolves when it has ended, or is left:
 * whether it ended by itself.
 */
export async function endThread(
  worker: Worker,
  message: unknown,
  { timeoutMs = STOP_TIMEOUT_MS, isLeft = false }: EndThreadOptions = {},
): Promise<boolean> {
  const ended = new Promise<boolean>((resolve) => worker.once("exit", () => resolve(true)));
  worker.postMessage(message);
  const isByItself = await withinMs(ended, timeoutMs, () => false);
  if (!isByItself && !isLeft) await worker.terminate();
  return isByItself;
}
