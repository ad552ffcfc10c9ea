import { collectYoungObjectsAlone } from "../../src/domain/garbage-collection.ts";
import { startBareTwin } from "./bare-twin.ts";
import {
  cpuOf,
  isAllLive,
  type ServerProcess,
  setRealTime,
  startService,
  untilHealth,
} from "./child-process.ts";
import { openLoop, type OpenLoopResult } from "./open-loop.ts";
import { NO_POSITIONS, orderOf, otherOrdersOf, TWELVE_POSITIONS } from "./orders.ts";
import { digits, markdownTable, median, printSection, quantile } from "./report.ts";

/** `npm run bench:sparse`: one client whose orders are far between, with and without the last order repeated for nobody. */
const SETTINGS = [
  ["none is repeated", "0"],
  ["repeated every 5 ms", "5"],
] as const;
const BARE = "a bare server, same bytes";
const ROUNDS = 2;
const SETTLE_MS = 8_000;
const CASES = [
  ["no positions, 20 a second", NO_POSITIONS, 20, 8],
  ["no positions, 2 a second", NO_POSITIONS, 2, 10],
  ["12 positions, 20 a second", TWELVE_POSITIONS, 20, 8],
] as const;

interface Turn {
  readonly result: OpenLoopResult;
  /** What the answers say that they took: from their head's arrival to their text. */
  readonly saidUs: readonly number[];
  /** Cores that the answering thread took. */
  readonly cores: number;
}

collectYoungObjectsAlone();
const allowed = { isGeneratorFirst: true };
const turns = new Map<string, Turn[]>();
for (let round = 0; round < ROUNDS; round++) {
  for (const [setting, periodMs] of SETTINGS) await measure(setting, periodMs);
}

printSection("bench:sparse", [
  "One connection, one order at a time, sent at times fixed beforehand; latency from the time an order was due to the last",
  `byte of its answer, in µs, medians of ${ROUNDS} turns, the two settings taking turns. Between two orders other programs have`,
  "the processor's caches: `BREAKWATER_KEEP_WARM_MS` says how often the last order is answered again meanwhile, for nobody",
  "(src/DECISIONS.md 244). Cores are those that the answering thread took.",
  "",
  markdownTable(
    [
      "orders",
      "last order",
      "p50",
      "p90",
      "p99",
      "p50 to none",
      "latency_ms p50, µs",
      "to none",
      "cores",
      "failed",
    ],
    CASES.flatMap(([name]) =>
      [...SETTINGS.map(([setting]) => setting), BARE]
        .filter((setting) => turns.has(keyOf(name, setting)))
        .map((setting) => rowOf(name, setting)),
    ),
  ),
  "",
  "The service is as it is started by default, with the simulator inside. What `latency_ms` does not say of a latency is mostly",
  "the kernel's and the generator's: a thread that sleeps is woken on either side, as it is of the bare server beside it.",
  allowed.isGeneratorFirst
    ? "The generator runs before all others (SCHED_FIFO)."
    : "The generator has the service's priority, because the system does not allow it another.",
]);
process.exit(0);

async function measure(setting: string, periodMs: string): Promise<void> {
  const service = await startService("breakwater", { BREAKWATER_KEEP_WARM_MS: periodMs });
  await untilHealth(service, isAllLive);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  for (const one of CASES) await measureTurn(service, one, setting);
  if (setting === SETTINGS[0][0]) await measureBare(service);
  await service.stop();
}

/** What the machine takes for a request that asks nothing of anyone, beside the same service. */
async function measureBare(service: ServerProcess): Promise<void> {
  const bare = await startBareTwin(service, orderOf(NO_POSITIONS));
  for (const one of CASES) if (one[1] === NO_POSITIONS) await measureTurn(bare, one, BARE);
  await bare.stop();
}

async function measureTurn(
  server: ServerProcess,
  [name, wallet, perSecond, seconds]: (typeof CASES)[number],
  setting: string,
): Promise<void> {
  const load = { perSecond, seconds, connections: 1, bodies: otherOrdersOf(wallet) };
  await openLoop(server, { ...load, perSecond: 50, seconds: 2 });
  const beforeMs = mainMsOf(server);
  allowed.isGeneratorFirst &&= setRealTime(true);
  const saidUs: number[] = [];
  const onAnswer = (answer: string): void => {
    saidUs.push(1e3 * Number(/"latency_ms":([\d.]+)/.exec(answer)?.[1]));
  };
  const result = await openLoop(server, { ...load, onAnswer });
  setRealTime(false);
  const cores = (mainMsOf(server) - beforeMs) / (seconds * 1e3);
  const key = keyOf(name, setting);
  turns.set(key, [...(turns.get(key) ?? []), { result, saidUs, cores }]);
}

function mainMsOf(server: ServerProcess): number {
  return cpuOf(server)?.mainMs ?? Number.NaN;
}

function rowOf(name: string, setting: string): string[] {
  const ofCase = turns.get(keyOf(name, setting))!;
  const none = turns.get(keyOf(name, SETTINGS[0][0]))!;
  const latencyUs = (share: number, among = ofCase): number =>
    median(among.map(({ result }) => quantile(result.latenciesUs, share)));
  const saidUs = (among = ofCase): number => median(among.map((turn) => median(turn.saidUs)));
  return [
    name,
    setting,
    ...[0.5, 0.9, 0.99].map((share) => latencyUs(share).toFixed(0)),
    digits(latencyUs(0.5) / latencyUs(0.5, none)),
    ...(setting === BARE ? ["–", "–"] : [saidUs().toFixed(0), digits(saidUs() / saidUs(none))]),
    digits(ofCase.reduce((sum, { cores }) => sum + cores, 0) / ofCase.length),
    String(ofCase.reduce((sum, { result }) => sum + result.failed, 0)),
  ];
}

function keyOf(name: string, setting: string): string {
  return `${name}, ${setting}`;
}
