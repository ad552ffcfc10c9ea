import { describe, expect, it } from "vitest";
import type { ValidateResponse } from "../../src/contracts/generated/types.ts";
import type { AssetContext } from "../../src/domain/asset.ts";
import type { Ticker } from "../../src/domain/ids.ts";
import { err, ok } from "../../src/domain/result.ts";
import type { AssessmentDeps } from "../../src/handlers/trade-assessment.ts";
import { handleValidate } from "../../src/handlers/validate.ts";
import { handleValidateBatch } from "../../src/handlers/validate-batch.ts";
import type { WalletReading } from "../../src/snapshot/wallet-store.ts";
import { assetContext, BTC, ETH, NOW_MS, position, WALLET, walletState } from "../support/builders.ts";
import { handlerDeps } from "../support/handler-deps.ts";
import { assetView, SOL } from "../support/market.ts";
import { readBatch, readValidate } from "../support/read-answer.ts";

// Mutants killed: an exit assessed on an empty account though the wallet was known before, alone and in a batch; a stale
// wallet that is not said to be; an exit that waits for the exchange as long as an order does; an order assessed on what was
// last known of a wallet that cannot be read.

const held = walletState(50_000, [position({ sizeBase: 0.2, entryPrice: 90_000, leverage: 5 })]);
const READING: WalletReading = { state: held, ageMs: 60_000, isStale: true };
const CLOSE = { asset: BTC, action: "close", size: 10_000 };

describe("a wallet that cannot be read now", () => {
  const deps: AssessmentDeps = {
    ...handlerDeps({ account: held }),
    wallets: {
      peek: () => undefined,
      load: () => Promise.resolve(err({ code: "unreachable", detail: "down" })),
      lastKnown: () => READING,
      isAnswerable: () => true,
    },
  };

  it("is taken as it was last known for an exit, and said to be stale", async () => {
    const [alone, inBatch] = [await validated(CLOSE, deps), await firstOfBatch(CLOSE, deps)];

    for (const { flags, liquidation } of [alone, inBatch]) {
      expect(flags).toContain("stale_wallet_state");
      expect(flags).not.toContain("close_without_position");
      expect(liquidation.mode).toBe("close");
    }
  });

  it.each([
    ["unreachable", "upstream_failed"],
    ["timeout", "timeout"],
  ] as const)("is no account for an order, which is refused: %s", async (failure, code) => {
    const load = () => Promise.resolve(err({ code: failure, detail: "down" }));
    const order = { ...CLOSE, action: "long", wallet: WALLET };

    const answer = await handleValidate(order, "id", { ...deps, wallets: { ...deps.wallets, load } });

    expect(answer).toMatchObject({ ok: false, error: { code } });
  });
});

describe("a wallet that holds what has an old mark", () => {
  const order = { asset: BTC, action: "long", size: 1_000 };
  const flagsOf = async (markAgeMs: number, ticker: Ticker) => {
    const context = assetContext({ markPrice: 4_000, arrivedAtMs: NOW_MS - markAgeMs });
    const deps = handlerDeps({
      account: walletState(50_000, [position({ ticker, entryPrice: 4_000 })]),
      views: [assetView(BTC), assetView(ETH, { context }), assetView(SOL)],
    });
    const [alone, inBatch] = [await validated(order, deps), await firstOfBatch(order, deps)];
    expect(inBatch.flags).toEqual(alone.flags);
    return alone.flags;
  };

  it("has its orders flagged, whatever they are in, and only its own", async () => {
    expect(await flagsOf(11_000, ETH)).toContain("stale_market_data");
    expect(await flagsOf(9_000, ETH)).not.toContain("stale_market_data");
    expect(await flagsOf(11_000, SOL)).not.toContain("stale_market_data");
  });
});

describe("a market too old for an opening", () => {
  it("fails the openings of it in a batch, and them alone: an exit is answered", async () => {
    const deps = handlerDeps({
      account: held,
      views: [assetView(BTC, { context: assetContext({ arrivedAtMs: NOW_MS - 61_000 }) }), assetView(SOL)],
    });
    const opening = (asset: string) => ({ asset, action: "long", size: 100 });
    const alone = await handleValidate({ ...opening(BTC), wallet: WALLET }, "r", deps);
    expect(alone).toMatchObject({ ok: false, error: { code: "market_unavailable" } });

    const call = { requestId: "r", elapsedMs: () => 0, isAbandoned: () => false };
    const trades = [opening(BTC), opening(SOL), CLOSE];
    const answer = await handleValidateBatch({ wallet: WALLET, trades }, call, deps);
    if (!answer.ok) throw new Error("a batch answers trade by trade");
    const [failed, other, exit] = readBatch(answer.value);

    expect(failed!.meta).toMatchObject({
      error_code: "unavailable",
      error: "BTC: its market data is 61 s old",
    });
    expect(other!.meta).not.toHaveProperty("error");
    expect(exit).toMatchObject({ recommendation: "proceed", liquidation: { mode: "close" } });
    expect(exit!.flags).toContain("stale_market_data");
  });
});

describe("what a wallet that is not fresh is waited for", () => {
  const opening = { asset: BTC, action: "long", size: 100 };
  const waitsFor = async (
    known: WalletReading | null,
    trades: readonly (typeof opening)[],
    isAnswerable = known !== null,
  ) => {
    const waits: (number | undefined)[] = [];
    const deps: AssessmentDeps = {
      ...handlerDeps({ account: held }),
      wallets: {
        peek: () => undefined,
        load: (_, waitMsMax) => {
          waits.push(waitMsMax);
          return Promise.resolve(err({ code: "timeout", detail: "late" }));
        },
        lastKnown: () => known,
        isAnswerable: () => isAnswerable,
      },
    };
    await handleValidate({ ...trades[0]!, wallet: WALLET }, "r", deps);
    const call = { requestId: "r", elapsedMs: () => 0, isAbandoned: () => false };
    await handleValidateBatch({ wallet: WALLET, trades }, call, deps);
    return waits;
  };

  it("is a quarter of a second for an exit, and a second where nothing is known of it", async () => {
    expect(await waitsFor(READING, [CLOSE])).toEqual([250, 250]);
    expect(await waitsFor(null, [CLOSE])).toEqual([1_000, 1_000]);
  });

  it("is a second for an order that can be answered by what is known, and the reader's own for one that cannot", async () => {
    expect(await waitsFor(READING, [opening])).toEqual([1_000, 1_000]);
    expect(await waitsFor(null, [opening])).toEqual([undefined, undefined]);
    expect(await waitsFor(READING, [opening], false)).toEqual([undefined, undefined]);
  });

  it("is an exit's for every batch with one", async () => {
    expect(await waitsFor(READING, [opening, CLOSE])).toEqual([1_000, 250]);
  });
});

describe("a market that moves while the exchange is asked for the wallet", () => {
  /** Answers to one trade, alone and in a batch, that are made this long after it came, from what had come by then. */
  const lateAnswersTo = async (trade: object, waitedMs: number, context: Partial<AssetContext>) => {
    const deps = handlerDeps({ account: held });
    const before = deps.snapshots.assetOf(BTC)!;
    const ask = async <Answer>(answerTo: (deps: AssessmentDeps) => Answer | Promise<Answer>) => {
      let nowMs = NOW_MS;
      deps.snapshots.accept({ type: "asset.published", snapshot: before });
      const load = (): ReturnType<AssessmentDeps["wallets"]["load"]> => {
        nowMs += waitedMs;
        const snapshot = { ...before, context: { ...before.context, ...context } };
        deps.snapshots.accept({ type: "asset.published", snapshot });
        return Promise.resolve(ok({ ...READING, isStale: false }));
      };
      const cold = { load, peek: () => undefined, lastKnown: () => null, isAnswerable: () => false };
      return answerTo({ ...deps, clock: { nowMs: () => nowMs }, wallets: cold });
    };
    const alone = await ask((cold) => handleValidate({ ...trade, wallet: WALLET }, "id", cold));
    return { alone, inBatch: await ask((cold) => firstOfBatch(trade, cold)) };
  };
  const opening = { asset: BTC, action: "long", size: 1_000 };

  it.each([opening, CLOSE])("is the one of the answer: $action", async (trade) => {
    const { alone, inBatch } = await lateAnswersTo(trade, 3_000, { markPrice: 98_765 });

    if (!alone.ok) throw new Error(alone.error.code);
    const { meta, ...body } = readValidate(alone.value);
    expect(meta.mark_price).toBe(98_765);
    expect({ ...inBatch, meta: null }).toEqual({ ...body, meta: null });
  });

  it("is as old as it is by then: flagged, or refused but to an exit", async () => {
    const flagged = await lateAnswersTo(opening, 3_000, { arrivedAtMs: NOW_MS - 9_000 });
    const refused = await lateAnswersTo(opening, 3_000, { arrivedAtMs: NOW_MS - 59_000 });
    const exit = await lateAnswersTo(CLOSE, 3_000, { arrivedAtMs: NOW_MS - 59_000 });

    for (const { alone } of [flagged, exit]) {
      expect(alone.ok && readValidate(alone.value).flags).toContain("stale_market_data");
    }
    expect(refused.alone).toMatchObject({ ok: false, error: { code: "market_unavailable" } });
  });
});

describe("a wallet that is known but stale", () => {
  it("is said to be, for an opening too", async () => {
    const { wallets, ...rest } = handlerDeps({ account: held });
    const opening = { asset: BTC, action: "long", size: 100 };
    const stale = {
      ...rest,
      wallets: {
        load: wallets.load.bind(wallets),
        lastKnown: () => null,
        isAnswerable: () => true,
        peek: () => READING,
      },
    };

    expect((await validated(opening, stale)).flags).toContain("stale_wallet_state");
    expect((await validated(opening, { ...rest, wallets })).flags).not.toContain("stale_wallet_state");
  });
});

describe("a service that is starting", () => {
  const opening = { asset: BTC, action: "long", size: 100, wallet: WALLET };
  const exit = { ...CLOSE, wallet: WALLET };
  const world = { account: held, readiness: "starting" } as const;

  it.each([
    ["opens nothing", opening, "starting_up"],
    ["does not call an asset unknown", { ...opening, asset: "NOPE" }, "starting_up"],
    ["does not call an exit's asset unknown", { ...exit, asset: "NOPE" }, "starting_up"],
    ["says what is wrong with a body that no start mends", { ...opening, size: 0 }, "size_not_positive"],
    ["answers an exit from what it has", exit, null],
  ])("%s", async (_law, body, code) => {
    const answer = await handleValidate(body, "id", handlerDeps(world));

    expect(answer.ok ? null : answer.error.code).toBe(code);
  });
});

async function validated(trade: object, deps: AssessmentDeps): Promise<ValidateResponse> {
  const answer = await handleValidate({ ...trade, wallet: WALLET }, "id", deps);
  if (!answer.ok) throw new Error(answer.error.code);
  return readValidate(answer.value);
}

async function firstOfBatch(trade: object, deps: AssessmentDeps): Promise<ValidateResponse> {
  const context = { requestId: "id", elapsedMs: () => 0, isAbandoned: () => false };
  const answer = await handleValidateBatch({ wallet: WALLET, trades: [trade] }, context, deps);
  if (!answer.ok) throw new Error(answer.error.code);
  const [first] = readBatch(answer.value);
  return first as ValidateResponse;
}
