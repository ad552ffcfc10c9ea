import { AlertSubscribers } from "../../src/actors/alert-subscribers.ts";
import type { MonitoredAccount } from "../../src/risk/alerts.ts";
import type { WalletState } from "../../src/domain/account.ts";
import { tickerOf } from "../../src/domain/ids.ts";
import type { AssessmentDeps } from "../../src/handlers/trade-assessment.ts";
import { handleValidate } from "../../src/handlers/validate.ts";
import { detachMemoryOnce } from "../../src/process/detached-memory.ts";
import { drawSheetJob } from "../../src/refit/sheet-job.ts";
import { jsonWithLatency } from "../../src/response/json-text.ts";
import { DEFAULT_ALERT_THRESHOLDS } from "../../src/risk/alerts.ts";
import { assessAccount } from "../../src/risk/assess-account.ts";
import { SnapshotStore } from "../../src/snapshot/snapshot-store.ts";
import { accountWith, assessmentDeps, copiesOf, TRADED_ASSET } from "./accounts.ts";
import { costsOf, lastResult } from "./cost.ts";
import { fitOf, marketHistories, sheetAssets } from "./drawn-market.ts";
import { captureLiveState, type LiveState } from "./live-state.ts";
import { GATEWAY_COLUMNS, gatewayRows } from "./gateways.ts";
import { OTHER_LEVERAGES } from "./orders.ts";
import { digits, markdownTable, printSection } from "./report.ts";

/** `npm run bench:scale`: how cost and memory grow. One process; the exchange's own limits are another matter. */
const ASSET_COUNTS = [25, 100, 230, 1_000];
const WALLET_COUNTS = [100, 1_000, 10_000, 100_000];
const POSITION_COUNTS = [0, 1, 5, 20, 35];
const SUBSCRIBER_COUNTS = [100, 1_000, 10_000, 100_000];
const DISTINCT_HISTORIES = 60;

// As uWebSockets.js does to the thread that reads requests.
detachMemoryOnce();
const live = await captureLiveState();
const assets = await assetRows();
const wallets = await walletRows();
const positions = await positionRows();
const subscribers = subscriberRows();
const gateways = await gatewayRows();
if (lastResult() === undefined) throw new Error("nothing was measured");
printSection("bench:scale", [
  "By number of assets. The exchange allows an address 1,000 subscriptions: up to 163 assets have every kind of feed,",
  "490 a context and a book; beyond that a second address would have to listen.",
  "",
  markdownTable(
    ["assets", "sheet MB", "quick sheet ms", "ms an asset", "snapshots kB heap an asset", "call ns"],
    assets,
  ),
  "",
  "By number of cached wallets, each asked for in turn, so that every request meets a wallet whose scenarios are kept",
  "no longer (src/DECISIONS.md 65):",
  "",
  markdownTable(["wallets", "heap MB", "bytes a wallet", "call ns", "call with 5 positions ns"], wallets),
  "",
  "By positions of one wallet:",
  "",
  markdownTable(["positions", "call ns", "bytes allocated", "ratio to none"], positions),
  "",
  "By alert subscribers of one wallet, told of one breach each in slices between which requests are answered:",
  "",
  markdownTable(["subscribers", "heap MB", "bytes a subscriber", "ns to tell one"], subscribers),
  "",
  "By gateways (BREAKWATER_GATEWAYS), whole requests over loopback, the services taking turns; CPU is that of the whole",
  "process, less what it uses unasked. With two cores the second gateway shares its core with the load generator, the",
  "engine and the simulated exchange, so what is gained here is less than where there is a core for each:",
  "",
  markdownTable(GATEWAY_COLUMNS, gateways),
  "",
  "Sheets of more than 60 assets repeat their histories under other names, which costs a draw the same.",
]);
process.exit(0);

function heapBytes(): number {
  if (gc === undefined) throw new Error("run with --expose-gc");
  gc();
  gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function assetRows(): Promise<string[][]> {
  const histories = marketHistories(DISTINCT_HISTORIES);
  const fits = histories.slice(0, 12).map((history) => fitOf(history));
  const rows: string[][] = [];
  const calls: Record<string, () => unknown> = {};
  for (const count of ASSET_COUNTS) {
    const tiled = Array.from({ length: count }, (_, i) => {
      const { ticker, bars } = histories[i % histories.length]!;
      return { ticker: `${ticker}-${i}`, bars };
    });
    const startMs = performance.now();
    const { sheet } = drawSheetJob({
      kind: "sheet",
      version: 1,
      singleAssetBlocks: 1,
      assets: sheetAssets(tiled, fits),
    });
    const drawMs = performance.now() - startMs;
    const sheetBytes =
      sheet.logPaths.byteLength +
      sheet.pools.tuples.byteLength +
      sheet.pools.residuals.byteLength +
      sheet.days.reduce((sum, { returns }) => sum + returns.byteLength, 0);
    const before = heapBytes();
    const snapshots = tiledSnapshots(count);
    const bytes = (heapBytes() - before) / count;
    const account = accountWith(0, live);
    const deps = await assessmentDeps({ ...live, snapshots }, [account], null);
    calls[`${count} assets`] = callOf([account], deps);
    rows.push([
      String(count),
      digits(sheetBytes / 2 ** 20),
      drawMs.toFixed(0),
      digits(drawMs / count),
      digits(bytes / 1024),
    ]);
  }
  return withCosts(rows, calls, 1);
}

/** The rows with what their calls cost, so many each, all taking turns. */
function withCosts(
  rows: readonly (readonly string[])[],
  calls: Readonly<Record<string, () => unknown>>,
  callsPerRow: number,
): string[][] {
  const costs = costsOf(calls).map(({ nanoseconds }) => nanoseconds.toFixed(0));
  return rows.map((row, i) => [...row, ...costs.slice(i * callsPerRow, (i + 1) * callsPerRow)]);
}

/** The captured assets and copies of them under other names: as separate objects, as they come through a port. */
function tiledSnapshots(count: number): SnapshotStore {
  const store = new SnapshotStore();
  store.accept({ type: "status.published", status: live.snapshots.status! });
  const captured = live.snapshots.assets().filter(({ lifecycle }) => lifecycle === "live");
  const traded = live.snapshots.assetOf(TRADED_ASSET)!;
  for (let i = 0; i < count; i++) {
    const { stressShocks, ...snapshot } = i === 0 ? traded : captured[i % captured.length]!;
    const { ticker } = snapshot.listing;
    const copy = { ...structuredClone(snapshot), stressShocks };
    const listing = { ...copy.listing, ticker: i === 0 ? ticker : tickerOf(`${ticker}-${i}`) };
    store.accept({ type: "asset.published", snapshot: { ...copy, listing } });
  }
  return store;
}

async function walletRows(): Promise<string[][]> {
  const [empty, five] = [accountWith(0, live), accountWith(5, live)];
  const rows: string[][] = [];
  const calls: Record<string, () => unknown> = {};
  for (const count of WALLET_COUNTS) {
    // At addresses of its own for each count: what is kept of one case's wallets must not serve another's.
    const from = 10 * count;
    const before = heapBytes();
    const deps = await assessmentDeps(live, copiesOf(five, count, from), null);
    const bytes = heapBytes() - before;
    const emptyAccounts = copiesOf(empty, count, from);
    const emptyDeps = await assessmentDeps(live, emptyAccounts, null);
    calls[`${count}, no positions`] = callOf(emptyAccounts, emptyDeps);
    calls[`${count}, five positions`] = callOf(copiesOf(five, count, from), deps);
    rows.push([String(count), digits(bytes / 2 ** 20), (bytes / count).toFixed(0)]);
  }
  return withCosts(rows, calls, 2);
}

async function positionRows(): Promise<string[][]> {
  const accounts = POSITION_COUNTS.map((count) => accountWith(count, live));
  const deps = await assessmentDeps(live, accounts, null);
  const cases = accounts.map(
    (account) => [String(account.positions.length), callOf([account], deps)] as const,
  );
  const costs = costsOf(Object.fromEntries(cases));
  const base = costs[0]!.nanoseconds;
  return costs.map(({ name, nanoseconds, bytes }) => [
    name,
    nanoseconds.toFixed(0),
    bytes.toFixed(0),
    digits(nanoseconds / base),
  ]);
}

/** A call for each account in turn, of an order whose sizing is not known. */
function callOf(accounts: readonly WalletState[], deps: AssessmentDeps): () => unknown {
  const trade = { asset: TRADED_ASSET, action: "long", size: 25_000 };
  let calls = 0;
  return () => {
    const { wallet, positions } = accounts[calls % accounts.length]!;
    const leverage = positions.length > 0 ? 10 : OTHER_LEVERAGES[calls % OTHER_LEVERAGES.length]!;
    calls++;
    const result = handleValidate({ ...trade, leverage, wallet }, "bench", deps);
    if (result instanceof Promise || !result.ok) throw new Error("the wallet is not warm");
    return jsonWithLatency(result.value, () => 0.1);
  };
}

function subscriberRows(): string[][] {
  const monitored = monitoredAccount(live);
  const request = {
    wallet: monitored.wallet,
    thresholds: { ...DEFAULT_ALERT_THRESHOLDS, maxRiskScore: 0, minLiquidationDistanceFraction: 10 },
  };
  return SUBSCRIBER_COUNTS.map((count) => {
    let delivered = 0;
    const tasks: (() => void)[] = [];
    const before = heapBytes();
    const hub = new AlertSubscribers({
      defer: (task) => tasks.push(task),
      waitingMax: 2 * count,
      onDropped: () => undefined,
    });
    for (let i = 0; i < count; i++) {
      hub
        .open(
          () => delivered++,
          (error) => {
            throw error;
          },
        )
        .configure(request);
    }
    const bytes = heapBytes() - before;
    const startMs = performance.now();
    hub.publish(monitored);
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) task();
    const tellNs = ((performance.now() - startMs) * 1e6) / count;
    if (delivered !== count) throw new Error(`${delivered} of ${count} were told`);
    return [String(count), digits(bytes / 2 ** 20), (bytes / count).toFixed(0), tellNs.toFixed(0)];
  });
}

function monitoredAccount({ snapshots, scenarios, clock }: LiveState): MonitoredAccount {
  const account = accountWith(5, live);
  const assessment = assessAccount({
    account,
    viewOf: (ticker) => snapshots.assetOf(ticker),
    scenarios,
    isMarketStale: () => false,
    isWalletStale: false,
  });
  return { wallet: account.wallet, assessment, evaluatedAtMs: clock.nowMs() };
}
