import {
  BENCH_HEADERS,
  type BenchService,
  cpuOf,
  isAllLive,
  residentMb,
  startService,
  untilHealth,
} from "./child-process.ts";
import { generate } from "./load-generator.ts";
import { NO_POSITIONS, otherOrdersOf } from "./orders.ts";
import { median } from "./report.ts";

const GATEWAY_COUNTS = [1, 2];
const CONNECTIONS = [16, 256];
const ROUNDS = 3;
const SECONDS = 2;

export const GATEWAY_COLUMNS = [
  "gateways",
  "connections",
  "requests/s",
  "to one gateway",
  "CPU µs/request",
  "p99 µs",
  "resident MB",
];

interface Round {
  readonly requestsPerSecond: number;
  readonly cpuUs: number;
  readonly p99Us: number;
}

/** POST /v1/validate on services that differ in their gateways only and take turns. CPU is the whole process's, less what it uses unasked. */
export async function gatewayRows(): Promise<string[][]> {
  const services: BenchService[] = [];
  for (const gateways of GATEWAY_COUNTS) {
    const service = await startService(`gateways ${gateways}`, { BREAKWATER_GATEWAYS: String(gateways) });
    await untilHealth(service, isAllLive);
    await loaded(service, 16, 0);
    services.push(service);
  }
  const rows: string[][] = [];
  for (const connections of CONNECTIONS) {
    const rounds = services.map((): Round[] => []);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [i, service] of services.entries()) {
        rounds[i]!.push(await loaded(service, connections, await idleCpuShare(service)));
      }
    }
    const middle = (i: number, field: keyof Round): number => median(rounds[i]!.map((round) => round[field]));
    rows.push(
      ...services.map((service, i) => [
        String(GATEWAY_COUNTS[i]),
        String(connections),
        middle(i, "requestsPerSecond").toFixed(0),
        (middle(i, "requestsPerSecond") / middle(0, "requestsPerSecond")).toFixed(2),
        middle(i, "cpuUs").toFixed(1),
        middle(i, "p99Us").toFixed(0),
        residentMb(service).toFixed(0),
      ]),
    );
  }
  for (const service of services) await service.stop();
  return rows;
}

async function loaded(service: BenchService, connections: number, idleShare: number): Promise<Round> {
  const before = cpuOf(service)?.processMs ?? Number.NaN;
  const startMs = performance.now();
  const load = {
    url: `${service.url}/v1/validate`,
    headers: BENCH_HEADERS,
    bodies: otherOrdersOf(NO_POSITIONS),
  };
  const loading = { ...load, connections, seconds: SECONDS };
  const { requests, requestsPerSecond, p99Us, errors } = await generate(loading);
  if (errors > 0) throw new Error(`${errors} requests failed`);
  const usedMs = (cpuOf(service)?.processMs ?? Number.NaN) - before;
  const cpuUs = ((usedMs - idleShare * (performance.now() - startMs)) * 1_000) / requests;
  return { requestsPerSecond, cpuUs, p99Us };
}

/** Milliseconds of CPU that the process uses in one without being asked: engine, models, simulated exchange. */
async function idleCpuShare(service: BenchService): Promise<number> {
  const before = cpuOf(service)?.processMs ?? Number.NaN;
  const startMs = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  return ((cpuOf(service)?.processMs ?? Number.NaN) - before) / (performance.now() - startMs);
}
