/**
 * To be called before a thread that reads requests compiles anything. V8 throws away all code of a thread that reads typed
 * arrays when the first buffer there is detached, and compiles it anew with a check. uWebSockets.js detaches each body that
 * it has handed over, so that the first request would cost all the code that was compiled before it.
 */
export function detachMemoryOnce(): void {
  const memory = new ArrayBuffer(1);
  structuredClone(memory, { transfer: [memory] });
}
