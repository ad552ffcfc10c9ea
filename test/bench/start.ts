import { addressOf } from "./accounts.ts";
import {
  BENCH_HEADERS,
  type BenchService,
  cpuOf,
  isAllLive,
  peakResidentMbOf,
  residentMb,
  startService,
  startSimulator,
  untilHealth,
} from "./child-process.ts";
import { askAbout, requestWallets } from "./cold-wallets.ts";
import { generate } from "./load-generator.ts";
import { NO_POSITIONS, otherOrdersOf, TWELVE_POSITIONS } from "./orders.ts";
import { digits, markdownTable, printSection } from "./report.ts";

/** `npm run bench:start`: from the start of the process to ready; memory at rest, with wallets, and after a million requests. */
const ASSETS = 230;
const WALLETS = 10_000;
const REQUESTS = 1_000_000;
const ANSWERS_SHOWN = [1, 2, 3, 10, 100, 1_000];
const CONNECTIONS = 16;
const CHUNK_SECONDS = 10;
/** Long enough for the full sheet, which follows the quick ones, and for what is collected after it. */
const SETTLE_MS = 45_000;
const LOAD_SECONDS_MAX = Number(process.env["BENCH_LOAD_SECONDS"] ?? 75);

const exchange = await startSimulator(ASSETS);
const coldStart = performance.now();
const cold = await startService("cold", exchange.environment);
const coldTimes = await startTimes(cold, coldStart);
await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
await cold.stop();

const warmStart = performance.now();
const warm = await startService("warm", exchange.environment, cold.dataDir);
const peakOfStartMb = peakResidentMbOf(warm);
const warmTimes = await startTimes(warm, warmStart);
await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
const memory: string[][] = [
  ["most during the start", peakOfStartMb().toFixed(0)],
  memoryRow("at rest, every sheet drawn", warm),
];
const firstAnswers = [
  await latencyRow("no positions", addressOf(1), warm),
  await latencyRow("12 positions", TWELVE_POSITIONS, warm),
];
await requestWallets(warm, WALLETS);
memory.push(memoryRow(`with ${WALLETS} wallets`, warm));
const { answered, peakMb } = await load(warm);
memory.push(memoryRow(`after ${(answered / 1e6).toFixed(2)} million requests more`, warm));
memory.push(["peak during them", peakMb.toFixed(0)]);
await warm.stop();
await exchange.stop();
printSection("bench:start", [
  `${ASSETS} assets, the simulated exchange in a process of its own (its time and memory are not counted), its request`,
  "weight unlimited: with the exchange's 1,200 a minute the first reading of all histories takes some ten minutes, while",
  "assets go live one by one; a warm start reads them from disk and needs none.",
  "",
  markdownTable(
    ["start", "listening s", "first asset live s", "ready s", "all assets live s", "CPU s until then"],
    [
      ["cold: empty data folder", ...coldTimes],
      ["warm: data folder of the run before", ...warmTimes],
    ],
  ),
  "",
  "The first answers after that, one after the other, the exchange asked for the account's state at the first; latency_ms",
  "of the answers:",
  "",
  markdownTable(["account", ...ANSWERS_SHOWN.map((place) => `answer ${place}, ms`)], firstAnswers),
  "",
  markdownTable(["resident memory of the service", "MB"], memory),
  "",
  "Ready is when assets of half the market's volume are live; each asset answers from the moment it is live. Resident",
  "memory includes the runtime, four threads' heaps and what the allocators have not given back.",
]);
process.exit(0);

async function startTimes(service: BenchService, startedAt: number): Promise<string[]> {
  const since = (): string => ((performance.now() - startedAt) / 1e3).toFixed(1);
  const listening = since();
  await untilHealth(service, ({ assets }) => assets.live > 0);
  const first = since();
  await untilHealth(service, ({ ready }) => ready);
  const ready = since();
  await untilHealth(service, isAllLive);
  const all = since();
  return [listening, first, ready, all, digits((cpuOf(service)?.processMs ?? Number.NaN) / 1e3)];
}

function memoryRow(name: string, service: BenchService): string[] {
  return [name, residentMb(service).toFixed(0)];
}

async function latencyRow(name: string, wallet: string, service: BenchService): Promise<string[]> {
  const orders = otherOrdersOf(wallet);
  const latenciesMs: number[] = [];
  while (latenciesMs.length < Math.max(...ANSWERS_SHOWN)) {
    const { meta } = await askAbout(orders[latenciesMs.length % orders.length]!, service);
    latenciesMs.push(meta.latency_ms);
  }
  return [name, ...ANSWERS_SHOWN.map((place) => digits(latenciesMs[place - 1]!))];
}

async function load(service: BenchService): Promise<{ answered: number; peakMb: number }> {
  const url = `${service.url}/v1/validate`;
  const until = performance.now() + LOAD_SECONDS_MAX * 1e3;
  let answered = 0;
  const peakMb = peakResidentMbOf(service);
  while (answered < REQUESTS && performance.now() < until) {
    const options = {
      url,
      headers: BENCH_HEADERS,
      bodies: otherOrdersOf(NO_POSITIONS),
      connections: CONNECTIONS,
      seconds: CHUNK_SECONDS,
    };
    const { requests, errors } = await generate(options);
    if (errors > 0) throw new Error(`${errors} requests failed`);
    answered += requests;
  }
  return { answered, peakMb: peakMb() };
}
