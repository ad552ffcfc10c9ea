import { collectYoungObjectsAlone } from "../../src/domain/garbage-collection.ts";
import {
  BENCH_HEADERS,
  BENCH_KEY,
  type BenchService,
  bytesReadBy,
  cpuOf,
  isAllLive,
  setNiceness,
  setRealTime,
  startPlainServer,
  startService,
  startSimulator,
  untilHealth,
} from "./child-process.ts";
import { openLoop, type OpenLoopResult } from "./open-loop.ts";
import { NO_POSITIONS, otherOrdersOf } from "./orders.ts";
import { digits, markdownTable, median, printSection, quantile } from "./report.ts";

/** `npm run bench:interference`: what the engine's work does to the latency of an answer. */
const MARKET_ASSETS = 230;
const IDLE_ASSETS = 3;
const TURN_SECONDS = 4;
const SETTLE_MS = 5_000;
/** None belongs to the service, and all would be elsewhere: exchange and other clients must not delay answers, the generator not be late. */
const OUTSIDE_NICENESS = 10;
const LOAD = {
  perSecond: 500,
  seconds: TURN_SECONDS,
  connections: 32,
  bodies: otherOrdersOf(NO_POSITIONS),
};
const BATCH_TRADES = 50;
const SHARES = [0.5, 0.9, 0.99, 0.999, 1];

interface Turn {
  readonly result: OpenLoopResult;
  /** Fits and sheets that ended during it. */
  readonly jobs: number;
  /** Cores that the service's threads but the answering one took. */
  readonly engineCores: number;
  /** What the service read, nearly all of it from the exchange. */
  readonly feedKbPerSecond: number;
}

type Prepared = (service: BenchService) => Promise<void>;
/** Other load on the service, until it is stopped. */
type Beside = (service: BenchService) => Promise<{ readonly stop: () => Promise<void> }>;
type Step = readonly [name: string, turns: number, prepared: Prepared, beside?: Beside];

const whenReady: Prepared = (service) => untilHealth(service, ({ ready }) => ready);
const whenSettled: Prepared = async (service) => {
  await untilHealth(service, isAllLive);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
};

/** Batches over as many assets as they have trades, one after the other. */
const batches: Beside = async ({ url }) => {
  const client = await startPlainServer("batches", "batch-client", [
    url,
    BENCH_KEY,
    NO_POSITIONS,
    String(BATCH_TRADES),
  ]);
  setNiceness(client, OUTSIDE_NICENESS);
  return client;
};

/** Turns by the engine's state, in the order of the table. The idle ones are first, between the others, and last. */
const IDLE = "idle: 3 assets";
// The generator's collections wait for no helper that the server keeps from its core.
collectYoungObjectsAlone();
const states = new Map<string, Turn[]>([[IDLE, []]]);
const allowed = { isExchangeNicer: true, isGeneratorFirst: true };
await measure(IDLE_ASSETS, 1, [[IDLE, 2, whenSettled]]);
// A cold start fits every asset and draws sheet after sheet: the busiest that the refit worker ever is.
await measure(MARKET_ASSETS, 1, [
  ["230 assets, full refits and sheets", 3, whenReady],
  ["230 assets, the exchange's rate", 3, whenSettled],
  [`the same, beside batches of ${BATCH_TRADES}`, 3, whenSettled, batches],
]);
await measure(IDLE_ASSETS, 1, [[IDLE, 2, whenSettled]]);
await measure(MARKET_ASSETS, 10, [["230 assets, ten times the rate", 3, whenSettled]]);
await measure(IDLE_ASSETS, 1, [[IDLE, 2, whenSettled]]);
const idleTurns = states.get(IDLE)!.map(({ result }) => quantile(result.latenciesUs, 0.999));
const idleUs = median(idleTurns);

printSection("bench:interference", [
  `Open loop: ${LOAD.perSecond} requests a second for turns of ${TURN_SECONDS} s on ${LOAD.connections} connections, sent at times fixed beforehand, latency from the`,
  "time a request was due to the last byte of its answer, in µs: medians over the turns of a state of the engine (the",
  `largest of all turns under "max"). The idle engine has its turns before, between and after the others. A turn's p99.9 is`,
  `the one with ${Math.ceil(LOAD.perSecond * TURN_SECONDS * 0.001)} larger ones: where the turns of a state differ much, so may the ratio.`,
  "",
  markdownTable(
    [
      "engine",
      "turns",
      "p50",
      "p90",
      "p99",
      "p99.9",
      "max",
      "p99.9 to idle",
      "p99.9 by turn",
      "failed",
      "jobs done",
      "other threads' cores",
      "feed kB/s",
    ],
    [...states].map(([name, turns]) => rowOf(name, turns)),
  ),
  "",
  ...[...states].flatMap(([name, turns]) =>
    turns.flatMap(({ result }) => [...result.refusals].map((refusal) => `Refused, ${name}: ${refusal}`)),
  ),
  "",
  "Of these latencies, how late the generator itself was:",
  "",
  markdownTable(
    ["engine", "p50", "p90", "p99", "p99.9", "max"],
    [...states].map(([name, turns]) => [name, ...quantilesOf(turns.map(({ result }) => result.lagsUs))]),
  ),
  "",
  "Histogram, requests by latency, all turns:",
  "",
  histogram(),
  "",
  "The exchange is simulated in another process on the same two cores and the generator runs there too: with 230 assets",
  "four programs want two cores, and what is felt is mostly the scheduler's turns.",
  allowed.isExchangeNicer
    ? `The exchange has a niceness of ${OUTSIDE_NICENESS}, because it would be elsewhere; "feed kB/s" shows whether it keeps its rate.`
    : "The exchange has the service's priority: the system does not allow it another.",
  allowed.isGeneratorFirst
    ? "The generator runs before all others (SCHED_FIFO), so that what is measured is the service and not the generator's wait for a core."
    : "The generator has the service's priority, because the system does not allow it another, and its wait for a core is measured too.",
  "Ten times the rate is ten times for",
  "contexts, books and bars, six times for the touch. The fits and sheets are those of a cold start, the most there are",
  "at once; the record of forecasts is replayed in the background of every turn. The batches are of as many assets as",
  "trades, one batch after the other, from a process as nice as the exchange.",
]);
process.exit(0);

async function measure(assets: number, speed: number, steps: readonly Step[]): Promise<void> {
  const exchange = await startSimulator(assets, speed);
  allowed.isExchangeNicer &&= setNiceness(exchange, OUTSIDE_NICENESS);
  const service = await startService("breakwater", exchange.environment);
  for (const [name, turns, prepared, beside] of steps) {
    await prepared(service);
    const other = await beside?.(service);
    await openLoop(service, { ...LOAD, seconds: 2 });
    for (let i = 0; i < turns; i++) states.set(name, [...(states.get(name) ?? []), await turnOf(service)]);
    await other?.stop();
  }
  await service.stop();
  await exchange.stop();
}

async function turnOf(service: BenchService): Promise<Turn> {
  const facts = async (): Promise<{ jobs: number; otherMs: number; bytes: number }> => {
    const cpu = cpuOf(service);
    const otherMs = cpu === undefined ? Number.NaN : cpu.processMs - cpu.mainMs;
    return { jobs: await jobsOf(service), otherMs, bytes: bytesReadBy(service) };
  };
  const before = await facts();
  allowed.isGeneratorFirst &&= setRealTime(true);
  const result = await openLoop(service, LOAD);
  // What is started afterwards inherits it.
  setRealTime(false);
  const after = await facts();
  return {
    result,
    jobs: after.jobs - before.jobs,
    engineCores: (after.otherMs - before.otherMs) / (TURN_SECONDS * 1e3),
    feedKbPerSecond: (after.bytes - before.bytes) / TURN_SECONDS / 1e3,
  };
}

async function jobsOf({ url }: BenchService): Promise<number> {
  const response = await fetch(`${url}/v1/model-info`, { headers: BENCH_HEADERS });
  return ((await response.json()) as { fits: { refits_done: number } }).fits.refits_done;
}

function rowOf(name: string, turns: readonly Turn[]): string[] {
  const latencies = turns.map(({ result }) => result.latenciesUs);
  const toIdle = median(latencies.map((latenciesUs) => quantile(latenciesUs, 0.999))) / idleUs;
  const sum = (of: (turn: Turn) => number): number => turns.reduce((total, turn) => total + of(turn), 0);
  return [
    name,
    String(turns.length),
    ...quantilesOf(latencies),
    digits(toIdle),
    latencies.map((latenciesUs) => quantile(latenciesUs, 0.999).toFixed(0)).join(" "),
    String(sum(({ result }) => result.failed)),
    String(sum(({ jobs }) => jobs)),
    digits(sum(({ engineCores }) => engineCores) / turns.length),
    digits(sum(({ feedKbPerSecond }) => feedKbPerSecond) / turns.length),
  ];
}

/** The median over turns of each share's quantile, of the last one the largest. */
function quantilesOf(turns: readonly (readonly number[])[]): string[] {
  return SHARES.map((share) => {
    const each = turns.map((values) => quantile(values, share));
    return (share === 1 ? Math.max(...each) : median(each)).toFixed(0);
  });
}

/** Buckets that double, side by side. */
function histogram(): string {
  const bounds = Array.from({ length: 11 }, (_, i) => 100 * 2 ** i);
  const counted = (latencies: readonly number[], from: number, to: number): number =>
    latencies.filter((latency) => latency >= from && latency < to).length;
  const rows = [...bounds, Infinity].map((bound, i) => {
    const from = bounds[i - 1] ?? 0;
    const label = bound === Infinity ? `from ${from / 1e3} ms` : `below ${bound / 1e3} ms`;
    const counts = [...states.values()].map((turns) =>
      turns.reduce((sum, { result }) => sum + counted(result.latenciesUs, from, bound), 0),
    );
    return [label, ...counts.map(String)];
  });
  return markdownTable(["latency", ...states.keys()], rows);
}
