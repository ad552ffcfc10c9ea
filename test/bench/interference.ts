import {
  BENCH_HEADERS,
  type BenchService,
  cpuOf,
  isAllLive,
  removeData,
  startService,
  startSimulator,
  untilHealth,
} from "./child-process.ts";
import { openLoop, type OpenLoopResult } from "./open-loop.ts";
import { digits, markdownTable, printSection, quantile } from "./report.ts";

/** `npm run bench:interference`: what the engine's work does to the latency of an answer. */
const MARKET_ASSETS = 230;
const IDLE_ASSETS = 3;
const SECONDS = 12;
const SETTLE_MS = 5_000;
const WALLET = "0x5eed000000000000000000000000000000000001";
const LOAD = {
  perSecond: 500,
  seconds: SECONDS,
  connections: 32,
  body: JSON.stringify({ asset: "ETH", action: "long", size: 25_000, leverage: 10, wallet: WALLET }),
};
const SHARES = [0.5, 0.9, 0.99, 0.999, 1];

interface Phase {
  readonly name: string;
  readonly result: OpenLoopResult;
  /** Fits and sheets that ended during it. */
  readonly jobs: number;
  /** Cores that the service's threads but the answering one took. */
  readonly engineCores: number;
}

type Prepared = (service: BenchService) => Promise<void>;

const whenReady: Prepared = (service) => untilHealth(service, ({ ready }) => ready);
const whenSettled: Prepared = async (service) => {
  await untilHealth(service, isAllLive);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
};

const phases = [
  ...(await phasesOf(IDLE_ASSETS, 1, [["idle: 3 assets", whenSettled]])),
  // A cold start fits every asset and draws sheet after sheet: the busiest that the refit worker ever is.
  ...(await phasesOf(MARKET_ASSETS, 1, [
    ["230 assets, full refits and sheets", whenReady],
    ["230 assets, the exchange's rate", whenSettled],
  ])),
  ...(await phasesOf(MARKET_ASSETS, 10, [["230 assets, ten times the rate", whenSettled]])),
  ...(await phasesOf(IDLE_ASSETS, 1, [["idle again", whenSettled]])),
];
printSection("bench:interference", [
  `Open loop: ${LOAD.perSecond} requests a second for ${SECONDS} s on ${LOAD.connections} connections, sent at times fixed beforehand, latency from the`,
  "time a request was due to the last byte of its answer, in µs; the idle engine first and last, to show what the machine",
  "does by itself.",
  "",
  markdownTable(
    [
      "engine",
      "p50",
      "p90",
      "p99",
      "p99.9",
      "max",
      "p99.9 to idle",
      "failed",
      "jobs done",
      "other threads' cores",
    ],
    phases.map(rowOf),
  ),
  "",
  ...phases.flatMap(({ name, result }) =>
    [...result.refusals].map((refusal) => `Refused, ${name}: ${refusal}`),
  ),
  "",
  "Of these latencies, how late the generator itself was:",
  "",
  markdownTable(
    ["engine", "p50", "p90", "p99", "p99.9", "max"],
    phases.map(({ name, result }) => [
      name,
      ...SHARES.map((share) => quantile(result.lagsUs, share).toFixed(0)),
    ]),
  ),
  "",
  "Histogram, requests by latency:",
  "",
  histogram(),
  "",
  "The exchange is simulated in another process on the same two cores and the generator runs there too: with 230 assets",
  "four programs want two cores, and what is felt is mostly the scheduler's turns. Ten times the rate is ten times for",
  "contexts, books and bars, six times for the touch. The fits and sheets are those of a cold start, the most there are",
  "at once; the record of forecasts is replayed in the background of every phase.",
]);
process.exit(0);

async function phasesOf(
  assets: number,
  speed: number,
  steps: readonly (readonly [name: string, prepared: Prepared])[],
): Promise<Phase[]> {
  const exchange = await startSimulator(assets, speed);
  const service = await startService("breakwater", exchange.environment);
  const measured: Phase[] = [];
  for (const [name, prepared] of steps) {
    await prepared(service);
    await openLoop(service, { ...LOAD, seconds: 2 });
    const before = { jobs: await jobsOf(service), cpu: cpuOf(service) };
    const result = await openLoop(service, LOAD);
    const after = { jobs: await jobsOf(service), cpu: cpuOf(service) };
    const otherMs = ({ cpu }: typeof before): number =>
      cpu === undefined ? NaN : cpu.processMs - cpu.mainMs;
    const engineCores = (otherMs(after) - otherMs(before)) / (SECONDS * 1e3);
    measured.push({ name, result, jobs: after.jobs - before.jobs, engineCores });
  }
  await service.stop();
  await exchange.stop();
  removeData(service);
  return measured;
}

async function jobsOf({ url }: BenchService): Promise<number> {
  const response = await fetch(`${url}/v1/model-info`, { headers: BENCH_HEADERS });
  return ((await response.json()) as { fits: { refits_done: number } }).fits.refits_done;
}

function rowOf({ name, result, jobs, engineCores }: Phase): string[] {
  const { latenciesUs, failed } = result;
  const toIdle = quantile(latenciesUs, 0.999) / quantile(phases[0]!.result.latenciesUs, 0.999);
  const quantiles = SHARES.map((share) => quantile(latenciesUs, share).toFixed(0));
  return [name, ...quantiles, digits(toIdle), String(failed), String(jobs), digits(engineCores)];
}

/** Buckets that double, side by side. */
function histogram(): string {
  const bounds = Array.from({ length: 11 }, (_, i) => 100 * 2 ** i);
  const counted = (latencies: readonly number[], from: number, to: number): number =>
    latencies.filter((latency) => latency >= from && latency < to).length;
  const rows = [...bounds, Infinity].map((bound, i) => {
    const from = bounds[i - 1] ?? 0;
    const label = bound === Infinity ? `from ${from / 1e3} ms` : `below ${bound / 1e3} ms`;
    return [label, ...phases.map(({ result }) => String(counted(result.latenciesUs, from, bound)))];
  });
  return markdownTable(["latency", ...phases.map(({ name }) => name)], rows);
}
