import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { constants, gunzipSync } from "node:zlib";
import type { ExchangeFailure } from "../../domain/errors.ts";
import { isRecord, jsonValueOf } from "../../domain/json-value.ts";
import type { Result } from "../../domain/result.ts";
import { err, ok } from "../../domain/result.ts";
import type { WireRecord } from "../hyperliquid/field-reader.ts";
import { parseUniverse } from "../hyperliquid/parse-universe.ts";
import type { InfoRequest } from "../hyperliquid/transport.ts";
import { contextAtMid, contextRows, framesOfBook, midOfBook } from "./recorded-context.ts";
import { RecordedHistory } from "./recorded-history.ts";
import { RecordedWallets } from "./recorded-wallets.ts";
import { candleAnswer, fundingAnswer, historyCoin } from "./replay-rows.ts";
import type { ReplaySource, TimedFrame } from "./replay-source.ts";

const FIXTURES = "exchange_fixtures";
const BOOK_FILE = /^hl_l2book_(.+)_\d{8}\.jsonl\.gz$/;
/** The exchange sends an asset's context about once a second. */
const CONTEXT_EVERY_MS = 1_000;

/** A recorded context and the mid it was recorded at. */
interface ContextRow {
  readonly row: WireRecord;
  readonly mid: number;
  readonly assetIndex: number;
}

/** Whether a directory holds recorded market data in the layout that openRecordedFolder reads. */
export function isRecordedFolder(directory: string): boolean {
  return existsSync(join(directory, FIXTURES)) && existsSync(join(directory, "books"));
}

/**
 * Opens a folder of recorded market data: books/hl_l2book_<coin>_<day>.jsonl.gz, exchange_fixtures/*.json,
 * candles_1h_hyperliquid/<coin>.csv.gz, funding/<coin>.csv.gz.
 *
 * Order counts were not recorded and are 0. There is no context stream in it: contexts are the recorded universe's with
 * their prices moved to the book's mid, and only assets with a recorded book ever become live.
 */
export function openRecordedFolder(directory: string): ReplaySource {
  const fixtures = join(directory, FIXTURES);
  const universe = readJson(fixtures, "metaAndAssetCtxs_");
  const predicted = readJson(fixtures, "predictedFundings_");
  const wallets = new RecordedWallets(fixtures, newestFile(fixtures, "report_user_fees_"));
  const history = new RecordedHistory(directory);
  const contexts = contextsByName(universe);
  const mids = new Map<string, number>();
  const books = bookFiles(directory).filter(({ coin }) => contexts.has(coin));
  const firstMs = books.flatMap(({ path }) => readLines(path).slice(0, 1)).map(({ atMs }) => atMs);

  return {
    startMs: firstMs.length === 0 ? 0 : Math.min(...firstMs),
    carriesAccounts: false,
    async *frames(): AsyncGenerator<TimedFrame> {
      const contextSentMs = new Map<string, number>();
      for await (const { book, coin, atMs } of booksInOrder(books)) {
        const mid = midOfBook(book);
        if (mid === null) continue;
        mids.set(coin, mid);
        for (const frame of framesOfBook(book)) yield { atMs, frame };
        const context = contexts.get(coin);
        if (context === undefined || atMs - (contextSentMs.get(coin) ?? -Infinity) < CONTEXT_EVERY_MS)
          continue;
        contextSentMs.set(coin, atMs);
        const ctx = contextAtMid(context.row, context.mid, mid);
        yield { atMs, frame: { channel: "activeAssetCtx", data: { coin, ctx } } };
      }
    },
    answer: (body, nowMs) => {
      const wallet = wallets.answer(body, nowMs);
      if (wallet !== undefined) return wallet;
      switch (body.type) {
        case "metaAndAssetCtxs":
          return universe === undefined ? absent(body) : ok(universeAtMids(universe, contexts, mids));
        case "predictedFundings":
          return predicted === undefined ? absent(body) : ok(predicted);
        case "perpsAtOpenInterestCap":
          return ok([]);
        case "exchangeStatus":
          return ok({ time: Math.floor(nowMs), specialStatuses: null });
        case "candleSnapshot":
          return ok(candleAnswer(history.candles(historyCoin(body)), body));
        case "fundingHistory":
          return ok(fundingAnswer(history.settlements(historyCoin(body)), body));
        default:
          return absent(body);
      }
    },
  };
}

function absent(body: InfoRequest): Result<unknown, ExchangeFailure> {
  return err({ code: "refused", detail: `${body.type}: not in the recorded folder` });
}

function contextsByName(metaAndContexts: unknown): ReadonlyMap<string, ContextRow> {
  const byName = new Map<string, ContextRow>();
  const parsed = parseUniverse(metaAndContexts, 0);
  if (!parsed.ok) return byName;
  const rows = contextRows(metaAndContexts);
  for (const { listing, context } of parsed.value.assets) {
    const { ticker, assetIndex } = listing;
    const row = rows[assetIndex];
    const mid = context?.midPrice ?? null;
    if (isRecord(row) && mid !== null) byName.set(ticker, { row, mid, assetIndex });
  }
  return byName;
}

function universeAtMids(
  metaAndContexts: unknown,
  contexts: ReadonlyMap<string, ContextRow>,
  mids: ReadonlyMap<string, number>,
): unknown {
  const rows = [...contextRows(metaAndContexts)];
  for (const [coin, mid] of mids) {
    const context = contexts.get(coin);
    if (context !== undefined) rows[context.assetIndex] = contextAtMid(context.row, context.mid, mid);
  }
  return [Array.isArray(metaAndContexts) ? (metaAndContexts as unknown[])[0] : null, rows];
}

interface BookFile {
  readonly coin: string;
  readonly path: string;
}

function bookFiles(directory: string): readonly BookFile[] {
  const folder = join(directory, "books");
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const coin = BOOK_FILE.exec(name)?.[1];
      return coin === undefined ? [] : [{ coin, path: join(folder, name) }];
    });
}

/** The books of all files by time; each file is in order already. A line that is none, torn perhaps, is passed over. */
async function* booksInOrder(
  files: readonly BookFile[],
): AsyncGenerator<{ readonly book: WireRecord; readonly coin: string; readonly atMs: number }> {
  const cursors = files.map(({ coin, path }) => ({ coin, lines: readLines(path), next: 0 }));
  for (;;) {
    let atMs = Infinity;
    let from: (typeof cursors)[number] | undefined;
    for (const cursor of cursors) {
      const line = cursor.lines[cursor.next];
      if (line === undefined || line.atMs >= atMs) continue;
      atMs = line.atMs;
      from = cursor;
    }
    if (from === undefined) return;
    const book = jsonValueOf(from.lines[from.next]!.text);
    from.next++;
    if (isRecord(book)) yield { book, coin: from.coin, atMs };
    await Promise.resolve();
  }
}

interface TimedLine {
  readonly text: string;
  readonly atMs: number;
}

/** Those of a file that name a time; of a file that was cut off, those before its end. */
function readLines(path: string): readonly TimedLine[] {
  const lines = gunzipSync(readFileSync(path), { finishFlush: constants.Z_SYNC_FLUSH }).toString("utf8");
  return lines.split("\n").flatMap((text) => {
    const time = /"time":(\d+)/.exec(text)?.[1];
    return time === undefined ? [] : [{ text, atMs: Number(time) }];
  });
}

function newestFile(directory: string, prefix: string): string | undefined {
  return readdirSync(directory)
    .filter((name) => name.startsWith(prefix))
    .sort()
    .at(-1);
}

function readJson(directory: string, prefix: string): unknown {
  const name = newestFile(directory, prefix);
  return name === undefined
    ? undefined
    : (JSON.parse(readFileSync(join(directory, name), "utf8")) as unknown);
}
