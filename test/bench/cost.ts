import { getHeapStatistics } from "node:v8";
import { median } from "./report.ts";

export interface Cost {
  readonly name: string;
  /** Median over rounds of the mean of one round; garbage collection included. */
  readonly nanoseconds: number;
  /** The fastest round's mean: what the code takes when nothing else runs. */
  readonly fastestNanoseconds: number;
  /** Allocated by one call, on the heap and off it. */
  readonly bytes: number;
}

export type Cases = Readonly<Record<string, () => unknown>>;

const WARM_UP_MS = 250;
const ROUNDS = 21;
const ROUND_MS = 15;
const ALLOCATION_ROUNDS = 15;
/** Small beside the youngest generation, so that no collection falls into a round. */
const ALLOCATION_ROUND_BYTES = 256 * 1024;

/**
 * Times functions by rounds that take turns, A B C A B C, so that whatever else the machine does meets all of them.
 * Needs --expose-gc.
 */
export function costsOf(cases: Cases): readonly Cost[] {
  const measured = Object.entries(cases).map(([name, call]) => ({
    name,
    call,
    callsPerRound: Math.max(1, Math.round((callsWithin(call, WARM_UP_MS) * ROUND_MS) / WARM_UP_MS)),
    rounds: [] as number[],
  }));
  for (let round = 0; round < ROUNDS; round++) {
    for (const { call, callsPerRound, rounds } of measured) rounds.push(roundOf(call, callsPerRound));
  }
  return measured.map(({ name, call, rounds }) => ({
    name,
    nanoseconds: median(rounds),
    fastestNanoseconds: Math.min(...rounds),
    bytes: bytesPerCall(call),
  }));
}

/** What the calls return goes here, so that none is optimised away. */
let sink: unknown;

export function lastResult(): unknown {
  return sink;
}

function callsWithin(call: () => unknown, durationMs: number): number {
  const until = performance.now() + durationMs;
  let calls = 0;
  for (; performance.now() < until; calls++) sink = call();
  return calls;
}

function roundOf(call: () => unknown, calls: number): number {
  const startMs = performance.now();
  for (let i = 0; i < calls; i++) sink = call();
  return ((performance.now() - startMs) / calls) * 1e6;
}

/**
 * Growth of the heap and of what hangs outside it over calls between which no collection runs: each round starts on an
 * emptied young generation and allocates much less than it holds.
 */
function bytesPerCall(call: () => unknown): number {
  const once = median(Array.from({ length: 5 }, () => growthOver(call, 1)));
  const calls = Math.max(1, Math.floor(ALLOCATION_ROUND_BYTES / Math.max(once, 16)));
  const ofNothing = median(
    Array.from({ length: ALLOCATION_ROUNDS }, () => growthOver(() => undefined, calls)),
  );
  const growths = Array.from({ length: ALLOCATION_ROUNDS }, () => growthOver(call, calls));
  return Math.max(0, median(growths) - ofNothing) / calls;
}

function growthOver(call: () => unknown, calls: number): number {
  if (gc === undefined) throw new Error("run with --expose-gc");
  gc({ type: "minor" });
  const before = usedBytes();
  for (let i = 0; i < calls; i++) sink = call();
  return usedBytes() - before;
}

function usedBytes(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}
