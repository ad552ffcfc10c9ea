import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { causeText } from "../../domain/cause-text.ts";
import type { ExchangeFailure } from "../../domain/errors.ts";
import { isRecord } from "../../domain/json-value.ts";
import type { Result } from "../../domain/result.ts";
import { err, ok } from "../../domain/result.ts";
import type { WireRecord } from "../hyperliquid/field-reader.ts";
import { parseUniverse } from "../hyperliquid/parse-universe.ts";
import type { InfoRequest } from "../hyperliquid/transport.ts";
import { jsonOfFile } from "./recorded-file.ts";
import { bookFiles, booksInOrder, firstMsOf } from "./recorded-books.ts";
import { contextAtMid, contextRows, framesOfBook, midOfBook } from "./recorded-context.ts";
import { RecordedHistory } from "./recorded-history.ts";
import { RecordedWallets } from "./recorded-wallets.ts";
import { candleAnswer, fundingAnswer, historyCoin } from "./replay-rows.ts";
import type { ReplaySource, TimedFrame } from "./replay-source.ts";

const FIXTURES = "exchange_fixtures";
const BOOKS = "books";
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
  return existsSync(join(directory, FIXTURES)) && existsSync(join(directory, BOOKS));
}

/**
 * Opens a folder of recorded market data: books/hl_l2book_<coin>_<day>.jsonl.gz, exchange_fixtures/*.json,
 * candles_1h_hyperliquid/<coin>.csv.gz, funding/<coin>.csv.gz.
 *
 * Order counts were not recorded and are 0. There is no context stream in it: contexts are the recorded universe's with
 * their prices moved to the book's mid, and only assets with a recorded book ever become live.
 *
 * Errors:  rejects with a sentence that names a file of exchange_fixtures that is no JSON
 */
export async function openRecordedFolder(directory: string): Promise<ReplaySource> {
  const fixtures = join(directory, FIXTURES);
  const universe = readJson(fixtures, "metaAndAssetCtxs_");
  const predicted = readJson(fixtures, "predictedFundings_");
  const wallets = new RecordedWallets(fixtures, newestFile(fixtures, "report_user_fees_"));
  const history = new RecordedHistory(directory);
  const contexts = contextsByName(universe);
  const mids = new Map<string, number>();
  const books = bookFiles(join(directory, BOOKS)).filter(({ coin }) => contexts.has(coin));
  const firstMs = Math.min(...(await Promise.all(books.map(firstMsOf))));

  return {
    startMs: Number.isFinite(firstMs) ? firstMs : 0,
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
          return readable(() => candleAnswer(history.candles(historyCoin(body)), body));
        case "fundingHistory":
          return readable(() => fundingAnswer(history.settlements(historyCoin(body)), body));
        default:
          return absent(body);
      }
    },
  };
}

function absent(body: InfoRequest): Result<unknown, ExchangeFailure> {
  return err({ code: "refused", detail: `${body.type}: not in the recorded folder` });
}

/** What is read of a file at the first question for it, which fails where the file is damaged. */
function readable(answer: () => unknown): Result<unknown, ExchangeFailure> {
  try {
    return ok(answer());
  } catch (cause) {
    return err({ code: "unparseable", detail: causeText(cause) });
  }
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

function newestFile(directory: string, prefix: string): string | undefined {
  return readdirSync(directory)
    .filter((name) => name.startsWith(prefix))
    .sort()
    .at(-1);
}

function readJson(directory: string, prefix: string): unknown {
  const name = newestFile(directory, prefix);
  return name === undefined ? undefined : jsonOfFile(join(directory, name));
}
