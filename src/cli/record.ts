import { once } from "node:events";
import { DAY_HOURS, HOUR_MS, MINUTE_MS } from "../domain/bar.ts";
import type { WatchedAsset } from "../exchange/exchange.ts";
import { HyperliquidExchange } from "../exchange/hyperliquid/hyperliquid-exchange.ts";
import { networkAddressOf, NetworkTransport } from "../exchange/hyperliquid/network-transport.ts";
import { plannedKinds } from "../exchange/hyperliquid/subscriptions.ts";
import { SYSTEM_TIMERS, TIMER_MS_MAX } from "../exchange/hyperliquid/timers.ts";
import { WEIGHT_PER_MINUTE } from "../exchange/hyperliquid/weight-budget.ts";
import { RecordLog } from "../exchange/recording/record-log.ts";
import { recordingFiles } from "../exchange/recording/recording-reader.ts";
import { RecordingTransport } from "../exchange/recording/recording-transport.ts";
import { prepareDataDirectory } from "../process/data-directory.ts";
import { lockDataDirectory } from "../process/data-lock.ts";
import { CommandFailure, namedAssets, parsedArguments, runCommand } from "./command-failure.ts";

/** Records the exchange's frames and answers into a directory that can be replayed. */

/** Almost 25 days. */
const MINUTES_MAX = Math.floor(TIMER_MS_MAX / MINUTE_MS);

const USAGE = `usage: npm run record -- --out DIR [--minutes N] [--assets BTC,ETH] [--url https://api.hyperliquid.xyz]
  --out      directory for the recording, one each; made when it does not exist
  --minutes  stop after so many minutes, at most ${MINUTES_MAX}; without it, stop with Ctrl-C
  --assets   only these tickers; without it, all that are listed
  --url      the exchange, or a simulator, for example http://127.0.0.1:8081`;

/** History that a replay needs to warm up: the exchange keeps 5000 hourly candles. */
const HISTORY_HOURS = 5000;
const FUNDING_HOURS = 30 * DAY_HOURS;
const POLL_EVERY_MS = 30_000;

interface RecordOptions {
  readonly directory: string;
  readonly minutes: number | undefined;
  /** Null: all that are listed. */
  readonly tickers: ReadonlySet<string> | null;
  readonly url: string;
}

function readOptions(): RecordOptions {
  const { values } = parsedArguments(
    {
      options: {
        out: { type: "string" },
        minutes: { type: "string" },
        assets: { type: "string" },
        url: { type: "string", default: "https://api.hyperliquid.xyz" },
      },
    },
    USAGE,
  );
  const { out, url } = values;
  const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
  if (out === undefined || out === "") throw new CommandFailure(`--out is missing\n${USAGE}`);
  if (minutes !== undefined && !(minutes > 0 && minutes <= MINUTES_MAX)) {
    const given = String(values.minutes);
    throw new CommandFailure(`--minutes must be a number above 0 and up to ${MINUTES_MAX}, got "${given}"`);
  }
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    throw new CommandFailure(`--url must be an http:// or https:// address, got "${url}"`);
  }
  return { directory: out, minutes, tickers: namedAssets(values.assets), url };
}

/** What is to be recorded: asked before anything is written, so that a name or an address in vain leaves no recording. */
async function assetsToRecord({ url, tickers }: RecordOptions): Promise<readonly WatchedAsset[]> {
  const transport = new NetworkTransport(networkAddressOf(url));
  const exchange = new HyperliquidExchange({ transport, weightPerMinute: WEIGHT_PER_MINUTE });
  const universe = await exchange.fetchUniverse();
  await exchange.close();
  if (!universe.ok) throw new CommandFailure(`no universe: ${universe.error.detail}`);
  const assets = universe.value.assets
    .filter(({ listing }) => !listing.isDelisted && (tickers?.has(listing.ticker) ?? true))
    .map(({ listing, context }) => ({ ticker: listing.ticker, volume24hUsd: context?.volume24hUsd ?? 0 }));
  const unlisted = [...(tickers ?? [])].filter((name) => !assets.some(({ ticker }) => ticker === name));
  if (unlisted.length > 0) throw new CommandFailure(`not listed at ${url}: ${unlisted.join(", ")}`);
  return assets;
}

async function record(options: RecordOptions): Promise<void> {
  prepareDataDirectory(options.directory, "--out");
  // Two that begin at once would each find it empty, and write over each other's files.
  process.once("exit", lockDataDirectory(options.directory, { setting: "--out", user: "recording" }));
  // A replay would play both as one, with a pause as long as was between them.
  if (recordingFiles(options.directory).length > 0) {
    throw new CommandFailure(`--out holds a recording already: ${options.directory}`);
  }
  const assets = await assetsToRecord(options);
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  // A second one, too, leaves what was recorded its end.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  const log = new RecordLog({
    directory: options.directory,
    timers: SYSTEM_TIMERS,
    onFailure: stop,
  });
  const network = new NetworkTransport(networkAddressOf(options.url));
  const transport = new RecordingTransport(network, log, SYSTEM_TIMERS);
  const exchange = new HyperliquidExchange({ transport, weightPerMinute: WEIGHT_PER_MINUTE });
  let frameCount = 0;
  const connected = new Set<string>();
  exchange.feed$.subscribe({
    next: (event) => {
      frameCount++;
      if (event.type === "feed.restored") connected.add(event.socket);
      if (event.type === "feed.lost" || event.type === "feed.restored")
        console.error(event.type, event.socket);
    },
    error: console.error,
  });

  // A replay begins with the universe.
  await exchange.fetchUniverse();
  exchange.watchAssets(assets);
  console.error(`recording ${String(assets.length)} assets of ${options.url} into ${options.directory}`);

  const poll = async (): Promise<void> => {
    await Promise.all([
      exchange.fetchUniverse(),
      exchange.fetchPredictedFundings(),
      exchange.fetchTickersAtOpenInterestCap(),
    ]);
  };
  const polls = setInterval(() => void poll(), POLL_EVERY_MS);
  if (options.minutes !== undefined) setTimeout(stop, options.minutes * MINUTE_MS);
  let withHistory = 0;
  const backfill = async (): Promise<void> => {
    await poll();
    for (const { ticker } of assets) {
      if (stopping.signal.aborted) return;
      const nowMs = Date.now();
      const bars = await exchange.fetchBars(ticker, nowMs - HISTORY_HOURS * HOUR_MS, nowMs);
      const settlements = await exchange.fetchFundingHistory(ticker, nowMs - FUNDING_HOURS * HOUR_MS);
      if (bars.ok && settlements.ok) withHistory++;
    }
  };
  void backfill();
  // The first line may have failed already.
  if (!stopping.signal.aborted) await once(stopping.signal, "abort");
  clearInterval(polls);
  await exchange.close();
  console.error(`recorded ${String(frameCount)} events, ${String(log.lostLines)} lines lost`);
  if (log.failure !== null) console.error(`the recording could not be written: ${log.failure}`);
  const missing = plannedKinds(assets).filter((kind) => !connected.has(kind));
  if (missing.length > 0) {
    console.error(
      `incomplete: no connection was had for ${missing.join(", ")}, and a replay will wait for them in vain. ` +
        "The exchange allows an address ten sockets: six of a recorder beside seven of a running service are too many.",
    );
  }
  const isHistoryWhole = withHistory === assets.length;
  if (!isHistoryWhole) {
    console.error(
      `incomplete: the history of ${String(withHistory)} of ${String(assets.length)} assets was read, and a replay has no model of the others`,
    );
  }
  process.exit(log.failure === null && missing.length === 0 && isHistoryWhole ? 0 : 1);
}

await runCommand(() => record(readOptions()));
