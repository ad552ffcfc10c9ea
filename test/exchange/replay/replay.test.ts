import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { tickerOf } from "../../../src/domain/ids.ts";
import type { FeedEvent } from "../../../src/exchange/exchange.ts";
import { HyperliquidExchange } from "../../../src/exchange/hyperliquid/hyperliquid-exchange.ts";
import { HyperliquidWallets } from "../../../src/exchange/hyperliquid/hyperliquid-wallets.ts";
import { type RecordedLine, RecordLog } from "../../../src/exchange/recording/record-log.ts";
import { openReplay } from "../../../src/exchange/replay/open-replay.ts";
import { recordedWallets } from "../../../src/exchange/replay/recorded-wallets.ts";
import { ReplayTransport, START_AFTER_MS } from "../../../src/exchange/replay/replay-transport.ts";
import type { ReplaySource, TimedFrame } from "../../../src/exchange/replay/replay-source.ts";
import { ManualTimers } from "../../support/manual-timers.ts";
import { hasSharedData, SHARED_DATA_DIR } from "../../support/shared-data.ts";

// Mutants tried: no repetition after the end; speed applied as its inverse; contexts not
// moved to the book's mid; the candle cap taken from the beginning; a folder's mids, or its rows, looked up in a list that
// leaves out what could not be read. Each fails below.

const BTC = tickerOf("BTC");
const START_MS = 1_700_000_000_000;
const SUBSCRIBE_BOOK = JSON.stringify({ method: "subscribe", subscription: { type: "l2Book", coin: "BTC" } });
const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

describe("ReplayTransport", () => {
  it("plays at its speed: the recording's clock and frames run twice as fast", async () => {
    const { events, timers, transport } = await playing(bookSource(11, 1_000), { speed: 2 });
    const played = (): number => events.filter(({ type }) => type === "book.received").length;

    await timers.advance(2_500);
    expect(played()).toBe(6);
    expect(transport.exchangeTimeMs()).toBe(START_MS + 5_000);
  });

  it("has a clock that waits for what is still to be said, and goes on from there", async () => {
    let goOn = (): void => undefined;
    const slowly = new Promise<void>((resolve) => (goOn = resolve));
    const { timers, transport } = await playing(
      {
        ...bookSource(0, 1_000),
        async *frames() {
          yield { atMs: START_MS, frame: bookFrame(START_MS) };
          await slowly;
          yield { atMs: START_MS + 1_000, frame: bookFrame(START_MS + 1_000) };
        },
      },
      { speed: 100 },
    );

    await timers.advance(5_000);
    expect(transport.exchangeTimeMs()).toBe(START_MS);
    goOn();
    await timers.advance(0);
    expect(transport.exchangeTimeMs()).toBe(START_MS + 1_000);
    await timers.advance(500);
    expect(transport.exchangeTimeMs()).toBe(START_MS + 51_000);
  });

  it("keeps the last state alive after the end, with a clock that goes on", async () => {
    const { events, timers } = await playing(bookSource(3, 1_000), {});
    await timers.advance(10_000);
    const times = bookTimes(events);
    expect(times.length).toBeGreaterThanOrEqual(10);
    expect(times.at(-1)).toBeGreaterThanOrEqual(START_MS + 9_000);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(events.some(({ type }) => type === "feed.lost")).toBe(false);
  });

  it.each([1_500, 5_000])(
    "says nothing more once it is closed, %i ms into three seconds",
    async (closedAtMs) => {
      const { timers, transport } = await playing(bookSource(3, 1_000), {});
      await timers.advance(closedAtMs);
      const asked = vi.fn();
      await transport.close();
      transport.openSocket({ onOpen: asked, onText: asked, onClose: asked }).send(SUBSCRIBE_BOOK);
      await timers.advance(0);
      asked.mockClear();

      await timers.advance(10_000);

      expect(asked).not.toHaveBeenCalled();
    },
  );
});

describe("a wallet's subscription", () => {
  it("does not begin the playing of a recording, which holds none", async () => {
    const timers = new ManualTimers();
    const source = await recordingOf([
      { at: START_MS, request: { type: "metaAndAssetCtxs" }, reply: universe("100.0") },
      { at: START_MS + 1_000, socket: 3, text: JSON.stringify(bookFrame(START_MS + 1_000)) },
    ]);
    const frames = vi.spyOn(source, "frames");
    const transport = new ReplayTransport(source, { timers });
    const wallets = new HyperliquidWallets({ transport, timers, weightPerMinute: 1_200 });
    const [first] = recordedWallets();
    wallets.watchWallets(first === undefined ? [] : [first.address], () => undefined);
    await timers.advance(5_000);
    expect(frames).not.toHaveBeenCalled();
    expect(transport.exchangeTimeMs()).toBe(START_MS);
    await wallets.close();
  });
});

describe("a replayed recording", () => {
  it("gives the frames and answers that were recorded, to whoever subscribes to them", async () => {
    const directory = mkdtempSync(join(tmpdir(), "replay-"));
    directories.push(directory);
    const log = new RecordLog({ directory, timers: new ManualTimers() });
    log.append({ at: START_MS, request: { type: "metaAndAssetCtxs" }, reply: universe("100.0") });
    log.append({ at: START_MS, request: candles(1), reply: [candle(1)] });
    log.append({ at: START_MS + 1, socket: 3, text: JSON.stringify(bookFrame(START_MS + 1)) });
    log.append({ at: START_MS + 2, socket: 3, text: JSON.stringify({ channel: "pong" }) });
    log.append({ at: START_MS + 3, request: { type: "metaAndAssetCtxs" }, reply: universe("101.0") });
    log.append({ at: START_MS + 4, request: candles(2), reply: [candle(0), candle(1), candle(2)] });
    log.append({
      at: START_MS + 5,
      socket: 9,
      text: JSON.stringify({ ...bookFrame(START_MS + 5), extra: 1 }),
    });
    await log.close();
    const source = await openReplay(directory);
    if (source === undefined) throw new Error("nothing to replay");

    const { transport, ended } = atFullSpeed(source);
    const exchange = new HyperliquidExchange({ transport, weightPerMinute: 1_200 });
    const times: number[] = [];
    exchange.feed$.subscribe({
      next: (event) => {
        if (event.type === "book.received") times.push(event.frame.exchangeTimeMs);
      },
      error: () => undefined,
    });
    expect(markOf(await exchange.fetchUniverse())).toBe(100);
    exchange.watchAssets([{ ticker: BTC, volume24hUsd: 1 }]);
    expect(await ended).toBe(START_MS + 5);

    expect(times).toEqual([START_MS + 1, START_MS + 5]);
    expect(markOf(await exchange.fetchUniverse())).toBe(101);
    const bars = await exchange.fetchBars(BTC, 0, 100 * 3_600_000);
    expect(bars.ok && bars.value.map(({ openTimeMs }) => openTimeMs / 3_600_000)).toEqual([0, 1, 2]);
    expect(await exchange.fetchPredictedFundings()).toMatchObject({ error: { code: "refused" } });
    const time = await exchange.fetchExchangeTimeMs();
    expect(time.ok && time.value).toBeGreaterThanOrEqual(START_MS + 5);
    await exchange.close();
  });

  it.each([
    ["ahead", 7_200_000],
    ["behind", -7_200_000],
  ])("plays by the exchange's time where the recorder's clock was two hours %s", async (_, aheadMs) => {
    const at = START_MS + aheadMs;

    const source = await recordingOf([
      { at, request: { type: "metaAndAssetCtxs" }, reply: universe("100.0") },
      { at: at + 100, socket: 3, text: JSON.stringify(bookFrame(START_MS + 100)) },
      { at: at + 900, socket: 3, text: JSON.stringify(bookFrame(START_MS + 800)) },
    ]);

    expect(source.startMs).toBe(START_MS);
    expect(await frameTimes(source)).toEqual([START_MS + 100, START_MS + 900]);
  });

  it("plays by the recorder's times where its first book came no later than books do", async () => {
    const source = await recordingOf([
      { at: START_MS, request: { type: "metaAndAssetCtxs" }, reply: universe("100.0") },
      { at: START_MS + 2_500, socket: 3, text: JSON.stringify(bookFrame(START_MS + 100)) },
    ]);

    expect(source.startMs).toBe(START_MS);
    expect(await frameTimes(source)).toEqual([START_MS + 2_500]);
  });

  it("plays on in the order written, without a pause, where the recorder's clock was set back", async () => {
    const at = START_MS + 7_200_000;

    const source = await recordingOf([
      { at, request: { type: "metaAndAssetCtxs" }, reply: universe("100.0") },
      { at: at + 100, socket: 3, text: JSON.stringify(bookFrame(START_MS + 100)) },
      { at: START_MS + 200, socket: 3, text: JSON.stringify(bookFrame(START_MS + 200)) },
      { at: START_MS + 300, socket: 3, text: JSON.stringify(bookFrame(START_MS + 300)) },
    ]);

    expect(await frameTimes(source)).toEqual([START_MS + 100, START_MS + 100, START_MS + 200]);
  });

  it("gives an answer from when it was recorded on, also where no frame came for a while", async () => {
    const source = await recordingOf([
      { at: START_MS, request: { type: "metaAndAssetCtxs" }, reply: universe("100.0") },
      { at: START_MS + 100, socket: 3, text: JSON.stringify(bookFrame(START_MS + 100)) },
      { at: START_MS + 10_000, request: { type: "metaAndAssetCtxs" }, reply: universe("90.0") },
      { at: START_MS + 30_000, socket: 3, text: JSON.stringify(bookFrame(START_MS + 30_000)) },
    ]);

    // The player asks for the next when the time of the last has come: what it is answered until then.
    const until: (readonly [number, unknown])[] = [];
    for await (const { atMs } of source.frames()) {
      const universeUntil = source.answer({ type: "metaAndAssetCtxs" }, atMs);
      until.push([atMs - START_MS, universeUntil.ok && universeUntil.value]);
    }

    expect(until).toContainEqual([10_000, universe("100.0")]);
    expect(until.at(-1)).toEqual([30_000, universe("90.0")]);
  });

  it("answers for a wallet that was not recorded with an empty account", async () => {
    const directory = mkdtempSync(join(tmpdir(), "replay-"));
    directories.push(directory);
    const log = new RecordLog({ directory, timers: new ManualTimers() });
    log.append({ at: START_MS, request: { type: "metaAndAssetCtxs" }, reply: universe("100.0") });
    await log.close();
    const transport = new ReplayTransport((await openReplay(directory))!);
    const wallets = new HyperliquidWallets({ transport, weightPerMinute: 1_200 });

    const wallet = await wallets.fetchWallet(recordedWallets()[0]!.address);

    expect(wallet).toMatchObject({
      ok: true,
      value: { positions: [], crossCashUsd: 0, exchangeTimeMs: START_MS },
    });
    await wallets.close();
  });

  it("has no past of an asset that was not recorded, as of one that was just listed", async () => {
    const directory = mkdtempSync(join(tmpdir(), "replay-"));
    directories.push(directory);
    const log = new RecordLog({ directory, timers: new ManualTimers() });
    log.append({ at: START_MS, request: { type: "metaAndAssetCtxs" }, reply: universe("100.0") });
    log.append({ at: START_MS, request: candles(1), reply: [candle(1)] });
    await log.close();
    const transport = new ReplayTransport((await openReplay(directory))!);
    const exchange = new HyperliquidExchange({ transport, weightPerMinute: 1_200 });

    expect(await exchange.fetchBars(tickerOf("ETH"), 0, 100 * 3_600_000)).toEqual({ ok: true, value: [] });
    expect(await exchange.fetchFundingHistory(BTC, 0)).toEqual({ ok: true, value: [] });
    await exchange.close();
  });

  it("is not found where there is none", async () => {
    const directory = mkdtempSync(join(tmpdir(), "replay-"));
    directories.push(directory);
    expect(await openReplay(directory)).toBeUndefined();
    expect(await openReplay(join(directory, "nowhere"))).toBeUndefined();
    expect(await openReplay(fileURLToPath(import.meta.url))).toBeUndefined();
  });
});

describe("a folder whose universe holds rows that make no sense", () => {
  it("gives every asset its own context, whatever was left out before it", async () => {
    const directory = folderWith(
      [null, wireAsset("UNREAD"), wireAsset("BTC"), wireAsset("ETH")],
      [wireContext("7"), null, wireContext("50"), wireContext("2000")],
    );
    const source = await openReplay(directory);
    if (source === undefined) throw new Error("nothing to replay");
    const { transport, ended } = atFullSpeed(source);
    const exchange = new HyperliquidExchange({ transport, weightPerMinute: 1_200 });
    const marks: number[] = [];
    exchange.feed$.subscribe({
      next: (event) => {
        if (event.type === "context.received") marks.push(event.context.markPrice);
      },
      error: () => undefined,
    });
    await exchange.fetchUniverse();
    exchange.watchAssets([{ ticker: BTC, volume24hUsd: 1 }]);
    await ended;

    // The recorded book's mid is 100.
    expect(marks).toEqual([100]);
    const universe = await exchange.fetchUniverse();
    if (!universe.ok) throw new Error(universe.error.detail);
    expect(
      universe.value.assets.map(({ listing, context }) => [listing.ticker, context?.markPrice ?? null]),
    ).toEqual([
      ["UNREAD", null],
      ["BTC", 100],
      ["ETH", 2000],
    ]);
    await exchange.close();
  });
});

describe.skipIf(!hasSharedData)("the folder of recorded market data", () => {
  it("streams every recorded book, its top, its fast and coarse views and a context at its mid", async () => {
    const { source, ended, exchange } = await folder();
    const counts = new Map<string, number>();
    const rejected: string[] = [];
    let mid = 0;
    let contextMid = 0;
    exchange.feed$.subscribe({
      next: (event) => {
        if (event.type === "frame.rejected") rejected.push(event.detail);
        const key =
          event.type === "book.received" ? `${event.frame.source} ${event.frame.ticker}` : event.type;
        counts.set(key, (counts.get(key) ?? 0) + 1);
        if (event.type === "book.received" && event.frame.source === "slow" && event.frame.ticker === BTC) {
          mid = ((event.frame.bids.prices[0] ?? 0) + (event.frame.asks.prices[0] ?? 0)) / 2;
        }
        if (event.type === "context.received" && event.ticker === BTC)
          contextMid = event.context.midPrice ?? 0;
      },
      error: () => undefined,
    });
    const universe = await exchange.fetchUniverse();
    if (!universe.ok) throw new Error(universe.error.detail);
    exchange.watchAssets([{ ticker: BTC, volume24hUsd: 1 }]);
    expect(await ended).toBe(1_757_017_304_665);

    expect(rejected).toEqual([]);
    for (const kind of ["slow", "fast", "touch", "coarse"]) {
      expect(counts.get(`${kind} BTC`)).toBe(3_782);
    }
    expect(counts.get("context.received")).toBeGreaterThan(1_500);
    expect(contextMid / mid).toBeCloseTo(1, 3);
    expect(source.startMs).toBe(1_757_015_216_253);
    await exchange.close();
  });

  it("answers history: candles up to the end of the file, at most 5000; hourly settlements in pages", async () => {
    const { exchange, source } = await folder();
    const bars = await exchange.fetchBars(BTC, 0, source.startMs);
    const funding = await exchange.fetchFundingHistory(BTC, Date.UTC(2025, 5, 1));

    if (!bars.ok || !funding.ok) throw new Error("no history");
    expect(bars.value).toHaveLength(5_000);
    expect(bars.value.at(-1)?.openTimeMs).toBe(1_753_498_800_000);
    expect(funding.value.length).toBeGreaterThan(500);
    expect(await exchange.fetchBars(tickerOf("../BTC"), 0, source.startMs)).toEqual({ ok: true, value: [] });
    await exchange.close();
  });

  it("answers for recorded wallets under addresses that can be listed, and for others with empty accounts", async () => {
    const { transport } = await folder();
    const wallets = new HyperliquidWallets({ transport, weightPerMinute: 1_200 });
    const states = await Promise.all(recordedWallets().map(({ address }) => wallets.fetchWallet(address)));

    expect(states.map((state) => state.ok && state.value.positions.length)).toEqual([34, 3, 1, 0]);
    expect(states.map((state) => state.ok && state.value.isCollateralKnown)).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(states.map((state) => state.ok && state.value.mode)).toEqual([
      "standard",
      "unified",
      "unified",
      "standard",
    ]);
  });
});

function bookSource(count: number, everyMs: number): ReplaySource {
  return {
    startMs: START_MS,
    async *frames() {
      for (let i = 0; i < count; i++) {
        const atMs = START_MS + i * everyMs;
        yield { atMs, frame: bookFrame(atMs) };
        await Promise.resolve();
      }
    },
    answer: () => ({ ok: true, value: universe("100.0") }),
  };
}

async function playing(
  source: ReplaySource,
  options: { speed?: number },
): Promise<{ events: FeedEvent[]; timers: ManualTimers; transport: ReplayTransport }> {
  const timers = new ManualTimers();
  const transport = new ReplayTransport(source, { ...options, timers });
  const exchange = new HyperliquidExchange({ transport, timers, uniform: () => 0.5, weightPerMinute: 1_200 });
  const events: FeedEvent[] = [];
  exchange.feed$.subscribe({
    next: (event) => {
      // Only the slow book is in the source; the silence of the other channels is not this test's subject.
      const socket = event.type === "feed.lost" || event.type === "feed.restored" ? event.socket : "slow";
      if (socket === "slow") events.push(event);
    },
    error: () => undefined,
  });
  await exchange.fetchUniverse();
  exchange.watchAssets([{ ticker: BTC, volume24hUsd: 1 }]);
  await timers.advance(START_AFTER_MS);
  return { events, timers, transport };
}

async function recordingOf(lines: readonly RecordedLine[]): Promise<ReplaySource> {
  const directory = mkdtempSync(join(tmpdir(), "replay-"));
  directories.push(directory);
  const log = new RecordLog({ directory, timers: new ManualTimers() });
  for (const line of lines) log.append(line);
  await log.close();
  const source = await openReplay(directory);
  if (source === undefined) throw new Error("nothing to replay");
  return source;
}

async function frameTimes(source: ReplaySource): Promise<readonly number[]> {
  const times: number[] = [];
  for await (const { atMs, frame } of source.frames()) {
    if (frame["channel"] !== undefined) times.push(atMs);
  }
  return times;
}

async function folder(): Promise<{
  source: ReplaySource;
  transport: ReplayTransport;
  ended: Promise<number>;
  exchange: HyperliquidExchange;
}> {
  const source = await openReplay(SHARED_DATA_DIR);
  if (source === undefined) throw new Error("nothing to replay");
  const { transport, ended } = atFullSpeed(source);
  const exchange = new HyperliquidExchange({ transport, weightPerMinute: 12_000 });
  return { source, transport, ended, exchange };
}

/** As fast as the service may be told to play; at its end the recording's clock, as the last frame was delivered. */
function atFullSpeed(source: ReplaySource): { transport: ReplayTransport; ended: Promise<number> } {
  let end: (timeMs: number) => void = () => undefined;
  const ended = new Promise<number>((resolve) => (end = resolve));
  const frames = async function* (): AsyncGenerator<TimedFrame> {
    yield* source.frames();
    end(transport.exchangeTimeMs());
  };
  const transport = new ReplayTransport({ ...source, frames }, { speed: 1e9 });
  return { transport, ended };
}

function bookTimes(events: readonly FeedEvent[]): number[] {
  return events.flatMap((event) => (event.type === "book.received" ? event.frame.exchangeTimeMs : []));
}

function bookFrame(timeMs: number): Record<string, unknown> {
  const level = (px: string): object => ({ px, sz: "1.0", n: 1 });
  return {
    channel: "l2Book",
    data: { coin: "BTC", time: timeMs, levels: [[level("99.0")], [level("101.0")]] },
  };
}

/** A folder in the layout of recorded market data, with one book of BTC. */
function folderWith(assets: readonly unknown[], contexts: readonly unknown[]): string {
  const directory = mkdtempSync(join(tmpdir(), "replay-"));
  directories.push(directory);
  for (const folder of ["books", "exchange_fixtures"]) mkdirSync(join(directory, folder));
  const universeFile = join(directory, "exchange_fixtures", "metaAndAssetCtxs_20250822T070353Z.json");
  writeFileSync(universeFile, JSON.stringify([{ universe: assets, marginTables: [] }, contexts]));
  const line = JSON.stringify(bookFrame(START_MS)["data"]);
  writeFileSync(join(directory, "books", "hl_l2book_BTC_20250822.jsonl.gz"), gzipSync(`${line}\n`));
  return directory;
}

function universe(markPx: string): unknown {
  return [{ universe: [wireAsset("BTC")], marginTables: [] }, [wireContext(markPx)]];
}

function wireAsset(name: string): unknown {
  return { name, szDecimals: 5, maxLeverage: 40, marginTableId: 40 };
}

function wireContext(markPx: string): unknown {
  const context = { funding: "0", openInterest: "1", prevDayPx: "1", dayNtlVlm: "1", premium: null };
  return { ...context, oraclePx: markPx, markPx, midPx: markPx, impactPxs: null };
}

function candles(fromHour: number): unknown {
  return {
    type: "candleSnapshot",
    req: { coin: "BTC", interval: "1h", startTime: fromHour * 3_600_000, endTime: 9e12 },
  };
}

function candle(hour: number): unknown {
  return { t: hour * 3_600_000, o: "1", h: "2", l: "1", c: "2", v: "0", s: "BTC", i: "1h", n: 0 };
}

function markOf(result: Awaited<ReturnType<HyperliquidExchange["fetchUniverse"]>>): number | undefined {
  return result.ok ? result.value.assets[0]?.context?.markPrice : undefined;
}
