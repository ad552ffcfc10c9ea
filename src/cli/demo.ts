import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import type { ErrorBody, ValidateResponse } from "../contracts/generated/types.ts";
import { causeText } from "../domain/cause-text.ts";
import { CommandFailure, parsedArguments, runCommand } from "./command-failure.ts";
import { type DemoService, startDemoService } from "./demo-service.ts";
import { type DemoRow, demoTable } from "./demo-table.ts";

/** Starts the service on a simulated exchange and shows how the risk of a few trades moves with the market. */

const ASSETS = ["BTC", "ETH", "SOL", "DOGE", "ENA"] as const;
const TRADE = { action: "long", size: 10_000, leverage: 5 } as const;
/** Free cash and isolated positions in SOL, DOGE and ENA. */
const WALLET = "0x5eed000000000000000000000000000000000006";
const CRASH = { type: "crash", magnitude: 0.2, duration_s: 30 } as const;
const EVERY_MS = 1_000;
const HOME_AND_CLEAR = "\u001b[H\u001b[J";

const USAGE = `usage: npm run demo
Starts the service on a simulated exchange, on free ports and with a data folder of its own that is removed at the end,
and shows the risk of five trades every second. Enter: a crash. Ctrl-C: the end.`;

async function demo(): Promise<void> {
  parsedArguments({ options: {} }, USAGE);
  // Before there is a service that would outlive this process, and for as long as it ends.
  const end = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => end.abort());
  console.log("starting …");
  const service = await startDemoService(end.signal);
  if (service === null) return;
  void service.ended.then(() => end.abort());
  const lines = createInterface({ input: process.stdin }).on("line", () => {
    // It may be ending.
    crash(service).catch((cause: unknown) => console.error(`the market cannot fall: ${causeText(cause)}`));
  });
  try {
    await showUntil(end.signal, service);
  } finally {
    lines.close();
    end.abort();
    const exitCode = await service.ended;
    if (exitCode !== 0) throw new CommandFailure(`the service ended with ${String(exitCode)}`);
  }
}

async function showUntil(end: AbortSignal, service: DemoService): Promise<void> {
  const firstMarkPrices = new Map<string, number>();
  try {
    for (;;) {
      const answers = await Promise.all(ASSETS.map((asset) => answerOf(asset, service, end)));
      show(
        service,
        answers.map((answer, i) => rowOf(ASSETS[i]!, answer, firstMarkPrices)),
      );
      await delay(EVERY_MS, undefined, { signal: end });
    }
  } catch (cause) {
    if (!end.aborted) throw cause;
  }
}

async function answerOf(
  asset: string,
  { url, key }: DemoService,
  signal: AbortSignal,
): Promise<ValidateResponse | ErrorBody> {
  const response = await fetch(`${url}/v1/validate`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ asset, wallet: WALLET, ...TRADE }),
    signal,
  });
  return (await response.json()) as ValidateResponse | ErrorBody;
}

function rowOf(
  asset: string,
  answer: ValidateResponse | ErrorBody,
  firstMarkPrices: Map<string, number>,
): DemoRow {
  if ("error" in answer) return { asset, refusal: answer };
  const firstMarkPrice = firstMarkPrices.get(asset) ?? answer.meta.mark_price;
  firstMarkPrices.set(asset, firstMarkPrice);
  return { asset, answer, firstMarkPrice };
}

function show({ url, key }: DemoService, rows: readonly DemoRow[]): void {
  const { isTTY, columns } = process.stdout;
  const { action, size, leverage } = TRADE;
  const text = `Each a ${action} of $${size} at ${leverage}x, for a wallet with three isolated positions, on a simulated exchange:

${demoTable(rows, columns)}

Enter: the market falls by a fifth within ${CRASH.duration_s} s.   Ctrl-C: the end.
Ask it: curl -s ${url}/v1/assets -H "Authorization: Bearer ${key}"
`;
  console.log(isTTY ? `${HOME_AND_CLEAR}${text}` : text);
}

async function crash({ simulatorUrl }: DemoService): Promise<void> {
  await fetch(`${simulatorUrl}/control/scenario`, { method: "POST", body: JSON.stringify(CRASH) });
}

await runCommand(demo);
