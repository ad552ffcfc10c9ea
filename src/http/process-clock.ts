const READINGS = 9;

/**
 * What performance.now() of this thread lacks to the monotonic clock of the machine, which every thread reads alike;
 * performance.now() itself starts with its thread. The reading that was bracketed most tightly counts, which is right to
 * a fraction of a microsecond.
 */
export const PROCESS_ORIGIN_MS = processOriginMs();

function processOriginMs(): number {
  let originMs = 0;
  let tightestMs = Infinity;
  for (let i = 0; i < READINGS; i++) {
    const beforeMs = performance.now();
    const machineMs = Number(process.hrtime.bigint()) / 1e6;
    const afterMs = performance.now();
    if (afterMs - beforeMs >= tightestMs) continue;
    tightestMs = afterMs - beforeMs;
    originMs = machineMs - (beforeMs + afterMs) / 2;
  }
  return originMs;
}
