import { startBareTwin } from "./bare-twin.ts";
import {
  BENCH_HEADERS,
  cpuOf,
  isAllLive,
  type ServerProcess,
  startPlainServer,
  startService,
  untilHealth,
} from "./child-process.ts";
import { generate, generator, type Load, type LoadResult } from "./load-generator.ts";
import { NO_POSITIONS, orderOf, otherOrdersOf, otherSizesOf, TWELVE_POSITIONS } from "./orders.ts";
import { digits, markdownTable, median, printSection } from "./report.ts";
import { generateOnSocket } from "./socket-load.ts";

/** `npm run bench:http`: whole requests over loopback, the service beside two servers that do nothing. */
const CONNECTIONS = [1, 16, 256];
const ROUNDS = 7;
const SECONDS = 1;

interface Contender {
  readonly name: string;
  readonly server: ServerProcess;
  readonly bodies: readonly string[];
  /** The main thread only hands connections over; its CPU says nothing of an answer's. */
  readonly isAnsweredElsewhere?: boolean;
  readonly generate?: (load: Load) => Promise<LoadResult>;
}

interface Measured {
  readonly requestsPerSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly p999Us: number;
  readonly mainUs: number;
  readonly errors: number;
}

const SAME = [orderOf(NO_POSITIONS)];
const SIZES = otherSizesOf(NO_POSITIONS);
const OTHERS = otherOrdersOf(NO_POSITIONS);

const rows: string[][] = [];
for (const gateways of [1, 2]) rows.push(...(await measured(gateways)));
printSection("bench:http", [
  `POST /v1/validate over loopback, load from ${generator} (one thread) on the same machine; medians of ${ROUNDS} rounds of ${SECONDS} s,`,
  "the servers taking turns, each in a process of its own; ratios are medians of the rounds' ratios. The bare server writes",
  "the headers and the body of one of the service's answers. Requests are the same each time, so that all but the first two",
  "in each state of market and account are answered from memory (src/DECISIONS.md 257), but for `other orders`: more in",
  "turns than are remembered, so that all of each answer is computed; and for `other sizes`: one order in more sizes than",
  "are remembered, so that all but what size is safe is (src/DECISIONS.md 225).",
  "",
  markdownTable(
    [
      "server",
      "at a time",
      "requests/s",
      "to bare",
      "to Fastify",
      "p50 µs",
      "p99 µs",
      "p99.9 µs",
      "CPU µs/request",
      "CPU to bare",
      "errors",
    ],
    rows,
  ),
  "",
  "CPU is that of the server's main thread, kernel included: the cost of a request wherever the load comes from. The",
  "service pays besides for its engine, models and the simulated exchange in other threads, which share the two cores",
  "with it, the other servers (idle meanwhile) and the load generator; so its throughput, not its CPU, is understated.",
  "`At a time` are connections with one request each; on the WebSocket, requests in flight on one socket, from a",
  "generator of our own (Node.js, ws) that costs more than wrk: compare its CPU, not its throughput.",
  "With two gateways two threads answer and the main thread does not.",
  "The generators wait for an answer before they ask again; at 256 the latencies are mostly waiting for the others' turns.",
  "wrk corrects its own for that (a stall counts as often as requests would have come meanwhile), the WebSocket's generator",
  "and autocannon, which knows whole milliseconds only, do not: compare latencies of one generator.",
]);
process.exit(0);

/** All contenders in turns, at each number of connections. */
async function measured(gateways: number): Promise<string[][]> {
  const service = await startService("breakwater", { BREAKWATER_GATEWAYS: String(gateways) });
  await untilHealth(service, isAllLive);
  const bare = await startBareTwin(service, SAME[0]!);
  const empty = await startPlainServer("empty Fastify", "fastify-server", []);
  const contenders = contendersOf(gateways, service, bare, empty);
  for (const contender of contenders) await loaded(contender, 16, 3);
  const measuredRows: string[][] = [];
  for (const connections of CONNECTIONS) {
    const rounds = contenders.map(() => [] as Measured[]);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [i, contender] of contenders.entries()) {
        rounds[i]!.push(await loaded(contender, connections, SECONDS));
      }
    }
    measuredRows.push(...rowsOf(contenders, connections, rounds));
  }
  await Promise.all([service, bare, empty].map((server) => server.stop()));
  return measuredRows;
}

function contendersOf(
  gateways: number,
  service: ServerProcess,
  bare: ServerProcess,
  empty: ServerProcess,
): readonly Contender[] {
  const named = gateways === 1 ? "breakwater" : `breakwater, ${gateways} gateways`;
  const isAnsweredElsewhere = gateways > 1;
  const contenders: readonly Contender[] = [
    { name: "bare uWebSockets.js, same bytes", server: bare, bodies: SAME },
    { name: "Fastify, empty handler", server: empty, bodies: SAME },
    { name: `${named}, no positions`, server: service, bodies: SAME, isAnsweredElsewhere },
    { name: `${named}, no positions, other sizes`, server: service, bodies: SIZES, isAnsweredElsewhere },
    { name: `${named}, no positions, other orders`, server: service, bodies: OTHERS, isAnsweredElsewhere },
    {
      name: `${named}, 12 positions`,
      server: service,
      bodies: [orderOf(TWELVE_POSITIONS)],
      isAnsweredElsewhere,
    },
    {
      name: `${named}, 12 positions, other orders`,
      server: service,
      bodies: otherOrdersOf(TWELVE_POSITIONS),
      isAnsweredElsewhere,
    },
  ];
  // One socket is one thread's.
  if (gateways > 1) return contenders;
  const name = `${named}, no positions, one WebSocket`;
  return [
    ...contenders,
    { name, server: service, bodies: SAME, generate: generateOnSocket },
    { name: `${name}, other orders`, server: service, bodies: OTHERS, generate: generateOnSocket },
  ];
}

async function loaded(
  { server, bodies, isAnsweredElsewhere = false, generate: by = generate }: Contender,
  connections: number,
  seconds: number,
): Promise<Measured> {
  const before = cpuOf(server);
  const load = { url: `${server.url}/v1/validate`, headers: BENCH_HEADERS, bodies };
  const { requests, ...result } = await by({ ...load, connections, seconds });
  const after = cpuOf(server);
  const isUnknown = before === undefined || after === undefined || isAnsweredElsewhere;
  const mainMs = isUnknown ? Number.NaN : after.mainMs - before.mainMs;
  return { ...result, mainUs: (mainMs * 1000) / requests };
}

function rowsOf(
  contenders: readonly Contender[],
  connections: number,
  rounds: readonly (readonly Measured[])[],
): string[][] {
  const middle = (i: number, field: keyof Measured): number =>
    median(rounds[i]!.map((round) => round[field]));
  /** Of two servers in the same round, seconds apart: the host is not as fast minutes later. */
  const ratio = (i: number, base: number, field: keyof Measured): number =>
    median(rounds[i]!.map((round, r) => round[field] / rounds[base]![r]![field]));
  return contenders.map(({ name }, i) => [
    name,
    String(connections),
    middle(i, "requestsPerSecond").toFixed(0),
    digits(ratio(i, 0, "requestsPerSecond")),
    digits(ratio(i, 1, "requestsPerSecond")),
    middle(i, "p50Us").toFixed(0),
    middle(i, "p99Us").toFixed(0),
    middle(i, "p999Us").toFixed(0),
    digits(middle(i, "mainUs")),
    digits(ratio(i, 0, "mainUs")),
    String(rounds[i]!.reduce((sum, { errors }) => sum + errors, 0)),
  ]);
}
