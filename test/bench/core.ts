import type { ValidateRequest } from "../../src/contracts/generated/types.ts";
import type { WalletState } from "../../src/domain/account.ts";
import { tickerOf } from "../../src/domain/ids.ts";
import { parseTradeRequest } from "../../src/handlers/trade-request.ts";
import { type AssessmentDeps, marketTrustOf } from "../../src/handlers/trade-assessment.ts";
import { handleValidate } from "../../src/handlers/validate.ts";
import { handleValidateBatch } from "../../src/handlers/validate-batch.ts";
import { KeyRing, storedKeyOf } from "../../src/http/key-ring.ts";
import { detachMemoryOnce } from "../../src/process/detached-memory.ts";
import { AnswerMemory } from "../../src/response/answer-memory.ts";
import { answerJson, batchJson, jsonWithLatency } from "../../src/response/json-text.ts";
import { assess } from "../../src/risk/assess.ts";
import { createSizingMemory } from "../../src/risk/sizing/sizing-memory.ts";
import {
  accountWith,
  assessmentDeps,
  copiesOf,
  isolatedAccountWith,
  mixedOrders,
  TRADED_ASSET,
  unheldAsset,
} from "./accounts.ts";
import { type Cases, type Cost, costsOf, lastResult } from "./cost.ts";
import { captureLiveState } from "./live-state.ts";
import { OTHER_LEVERAGES } from "./orders.ts";
import { digits, markdownTable, printSection } from "./report.ts";

/** `npm run bench:core`: what each step of a validate call costs on one thread, without sockets. */
const POSITION_COUNTS = [0, 1, 5, 10, 20] as const;
const KEY = "a-key-of-forty-three-characters-as-issued-xx";
/** More than a thread keeps the scenarios of. */
const WALLETS_IN_TURN = 200;
/** The window must not fill up while it is measured: the path of a refusal is another. */
const RATE_LIMIT = 20_000_000;
const REQUEST_ID = "00000000-0000-4000-8000-000000000000";

// As uWebSockets.js does to the thread that reads requests.
detachMemoryOnce();
const live = await captureLiveState();
const accounts = POSITION_COUNTS.map((count) => accountWith(count, live));
const isolated = isolatedAccountWith(5, live);
const others = accounts.map((account, i) => copiesOf(account, WALLETS_IN_TURN, 10_000 * (i + 1)));
const deps = await assessmentDeps(live, [...accounts, isolated, ...others.flat()], null);
const remembering = await assessmentDeps(live, accounts, new AnswerMemory());
const cases: Cases = { ...stageCases(), ...wholeCases() };
const costs = costsOf(cases);
if (lastResult() === undefined) throw new Error("nothing was measured");
printSection("bench:core", [
  `One thread, no sockets, ${live.snapshots.assets().length} assets warm from the simulator and standing still.`,
  "Time is the median (and the fastest) of 21 rounds that take turns, collections included; bytes are what one call",
  "allocates, measured between collections. The ratio is to the whole call without positions.",
  "",
  costTable(costs, "call, 0 positions"),
  "",
  "`call` is everything from the body's bytes to the answer's text: parse, schema, assess, encode, render; key and rate",
  "limit come on top. The caches are warm: the same few requests again and again. Several wallets, assets and sizes",
  "meet colder caches in production. `sizing known` is the same order again, or another size of it: what size is safe was",
  "found before. The others without positions take turns between orders of which none was (src/DECISIONS.md 225).",
  "With positions it is one order again and again, whose tails are in order since the answer before, but for `mixed",
  "orders`: either side, up to five assets that are held, 5,000 to 125,000 USD (src/DECISIONS.md 237); and for `wallets",
  "in turn`: 200 of the same positions, so that none finds its scenarios kept (src/DECISIONS.md 242). All that is computed",
  "anew each time, but for `again`: one order again and again, whose answer is remembered (src/DECISIONS.md 257).",
]);
process.exit(0);

function requestOf(account: WalletState, options: Partial<ValidateRequest> = {}): Buffer {
  const { wallet } = account;
  const trade = { asset: TRADED_ASSET, action: "long", size: 25_000, leverage: 10, wallet, ...options };
  return bytesOf(trade);
}

function bytesOf(body: unknown): Buffer {
  return Buffer.from(JSON.stringify(body));
}

function parsed(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString("utf8"));
}

/** The steps of a call, for an account without positions and, where it makes a difference, with them. */
function stageCases(): Cases {
  const ring = new KeyRing([storedKeyOf("bench", KEY)], RATE_LIMIT);
  const listingOf = (name: string) => live.snapshots.assetOf(name)?.listing;
  const bytes = requestOf(accounts[0]!);
  const body = parsed(bytes);
  const facts = {
    ticker: tickerOf(TRADED_ASSET),
    requestId: REQUEST_ID,
    modelVersion: deps.modelVersion,
  };
  const steps = accounts.map((account) => {
    const name = `${account.positions.length} positions`;
    const input = assessInput(account);
    const assessed = () => assess(input);
    const assessment = assessed();
    const known = { ...input, sizings: createSizingMemory() };
    return {
      [`assess, ${name}`]: assessed,
      ...(account.positions.length === 0 && { [`assess, ${name}, sizing known`]: () => assess(known) }),
      [`encode and render, ${name}`]: () => jsonWithLatency({ assessment, ...facts }, () => 0.1),
    };
  });
  return Object.assign(
    {
      "key and rate limit": () => {
        const presented = ring.presentedIn(`Bearer ${KEY}`);
        return presented.ok && presented.value.window.accept(performance.now());
      },
      "parse the body": () => parsed(bytes),
      "schema and rules": () => parseTradeRequest(body, listingOf),
    },
    ...steps,
  ) as Cases;
}

function assessInput(account: WalletState): Parameters<typeof assess>[0] {
  const { snapshots, scenarios, clock } = live;
  const asset = snapshots.assetOf(TRADED_ASSET)!;
  const trade = parseTradeRequest(parsed(requestOf(account)), (name) => snapshots.assetOf(name)?.listing);
  if (!trade.ok || !marketTrustOf(asset, "long", clock.nowMs()).isUsable)
    throw new Error("not a usable trade");
  return {
    trade: trade.value,
    asset,
    account,
    viewOf: (ticker) => snapshots.assetOf(ticker),
    scenarios,
    isMarketStale: false,
    isWalletStale: false,
    sizings: null,
  };
}

/** Whole calls: bytes in, text out. */
function wholeCases(): Cases {
  const all: Record<string, () => unknown> = {};
  accounts.forEach((account, i) => {
    const name = `call, ${account.positions.length} positions`;
    all[name] = call(...othersOf(account));
    if (account.positions.length === 0) {
      all[`${name}, sizing known`] = call(requestOf(account));
    } else {
      all[`${name}, mixed orders`] = call(...mixedOrders(account).map(bytesOf));
      all[`${name}, wallets in turn`] = call(...others[i]!.map((other) => requestOf(other)));
    }
    all[`${name}, again`] = callOn(remembering, requestOf(account));
    all[`${name}, monte_carlo`] = call(...othersOf(account, { monte_carlo: true }));
    all[`${name}, explain`] = call(...othersOf(account, { explain: true }));
  });
  all["call, 5 isolated positions"] = call(requestOf(isolated));
  all["call, cross beside 5 isolated positions"] = call(
    requestOf(isolated, { asset: unheldAsset(isolated, live) }),
  );
  for (const account of [accounts[0]!, accounts[3]!]) {
    all[`batch of 50, ${account.positions.length} positions`] = batchCall(account);
  }
  return all;
}

/** Orders of which none is met again before its sizing is forgotten; one where none is kept. */
function othersOf(account: WalletState, options: Partial<ValidateRequest> = {}): readonly Buffer[] {
  if (account.positions.length > 0) return [requestOf(account, options)];
  return OTHER_LEVERAGES.map((leverage) => requestOf(account, { ...options, leverage }));
}

function call(...orders: readonly Buffer[]): () => unknown {
  return callOn(deps, ...orders);
}

function callOn(read: AssessmentDeps, ...orders: readonly Buffer[]): () => unknown {
  let calls = 0;
  return () => {
    const bytes = orders[calls++ % orders.length]!;
    const result = handleValidate(parsed(bytes), REQUEST_ID, read);
    if (result instanceof Promise || !result.ok)
      throw new Error("the wallet is not warm, or the trade is refused");
    return answerJson(result.value, () => 0.1);
  };
}

function batchCall({ wallet }: WalletState): () => unknown {
  const assets = ["BTC", "ETH", "SOL", "XRP", "DOGE"];
  const trades = Array.from({ length: 50 }, (_, i) => ({
    asset: assets[i % assets.length],
    action: i % 2 === 0 ? "long" : "short",
    size: 1_000 + 100 * i,
    leverage: 5,
  }));
  const bytes = Buffer.from(JSON.stringify({ wallet, trades }));
  return () => {
    const batch = { requestId: REQUEST_ID, elapsedMs: () => 0.1, isAbandoned: () => false };
    const result = handleValidateBatch(parsed(bytes), batch, deps);
    if (result instanceof Promise || !result.ok) throw new Error("the wallet is not warm");
    return batchJson(result.value);
  };
}

function costTable(rows: readonly Cost[], base: string): string {
  const baseNs = rows.find(({ name }) => name === base)!.nanoseconds;
  return markdownTable(
    ["what", "ns", "fastest ns", "bytes", "ratio"],
    rows.map(({ name, nanoseconds, fastestNanoseconds, bytes }) => [
      name,
      nanoseconds.toFixed(0),
      fastestNanoseconds.toFixed(0),
      bytes.toFixed(0),
      digits(nanoseconds / baseNs),
    ]),
  );
}
