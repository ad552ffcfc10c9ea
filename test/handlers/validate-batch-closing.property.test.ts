import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BatchEntry } from "../../src/contracts/generated/types.ts";
import type { ExchangeFailure } from "../../src/domain/errors.ts";
import { handleValidate } from "../../src/handlers/validate.ts";
import { handleValidateBatch } from "../../src/handlers/validate-batch.ts";
import type { AssessmentDeps } from "../../src/handlers/trade-assessment.ts";
import type { AssetLifecycle } from "../../src/snapshot/asset-snapshot.ts";
import { magnitude } from "../support/arbitraries.ts";
import { BTC, ETH, NOW_MS, position, WALLET, walletState } from "../support/builders.ts";
import { assertMatchesSchema } from "../support/closed-schema.ts";
import { handlerDeps } from "../support/handler-deps.ts";
import { account, marketShape, missingParts, viewOfShape } from "../support/market-arbitraries.ts";
import { readBatch, readValidate } from "../support/read-answer.ts";

// Mutants killed by hand: an exit refused for its market's age, for the starting service, for the wallet that cannot be
// read, for leverage, margin mode or delisting; an opening let through beside such an exit; the close not clamped; fees
// of the request instead of the position; a market called stale for a wallet that is not known.

const FAILURE: ExchangeFailure = { code: "unreachable", detail: "down" };

describe("an exit", () => {
  it("is let through whatever is stale, missing or wrong with it, at most 30 and proceed", async () => {
    const world = fc.record({
      held: fc.oneof({ weight: 4, arbitrary: account }, { weight: 1, arbitrary: fc.constant(FAILURE) }),
      shape: marketShape,
      missing: missingParts,
      readiness: fc.constantFrom("starting" as const, "ready" as const, "degraded" as const),
      lifecycle: fc.constantFrom<AssetLifecycle[]>("listed", "warming", "live", "stale", "delisted"),
      bookAgeMs: fc.option(fc.nat({ max: 1e9 })),
      isDelisted: fc.boolean(),
      isIsolatedOnly: fc.boolean(),
      hasScenarios: fc.boolean(),
    });
    const close = fc.record(
      {
        asset: fc.constant<string>(BTC),
        action: fc.constant("close"),
        size: magnitude(1e-6, 1e8),
        leverage: fc.double({ min: -1000, max: 1e6, noNaN: true }),
        mode: fc.constantFrom("cross", "isolated"),
        monte_carlo: fc.boolean(),
        explain: fc.boolean(),
      },
      { requiredKeys: ["asset", "action", "size"] },
    );
    await fc.assert(
      fc.asyncProperty(world, close, async (facts, trade) => {
        const { held, shape, missing, readiness, lifecycle, bookAgeMs, isDelisted, isIsolatedOnly } = facts;
        const view = viewOfShape(shape, missing);
        const listing = { ...view.listing, isDelisted, isIsolatedOnly };
        const snapshot = { lifecycle, bookArrivedAtMs: bookAgeMs === null ? null : NOW_MS - bookAgeMs };
        const { hasScenarios } = facts;
        const deps = handlerDeps({
          account: held,
          views: [{ ...view, listing }],
          snapshot,
          readiness,
          hasScenarios,
        });

        const [inBatch] = await resultsOf([trade], deps);
        const alone = await handleValidate({ ...trade, wallet: WALLET }, "id", deps);

        expect(alone.ok).toBe(true);
        if (!alone.ok) return;
        const body = readValidate(alone.value);
        expect(inBatch).toEqual(body);
        assertMatchesSchema("validate-response", body);
        const { risk_score: score, recommendation, liquidation, flags, sizing } = body;
        expect(score).toBeLessThanOrEqual(30);
        expect([recommendation, liquidation.mode, sizing]).toEqual(["proceed", "close", null]);
        if ("code" in held) expect(flags).toContain("stale_wallet_state");
        const heldPosition = "code" in held ? undefined : held.positions.find(({ ticker }) => ticker === BTC);
        expect(flags.includes("close_without_position")).toBe(heldPosition === undefined);
        const heldUsd = Math.abs(heldPosition?.sizeBase ?? 0) * view.context.markPrice;
        expect(flags.includes("close_exceeds_position")).toBe(
          heldPosition !== undefined && trade.size > heldUsd,
        );
      }),
    );
  });

  it("pays for what it closes and no more: partial, full, oversized", async () => {
    const held = walletState(50_000, [position({ sizeBase: -0.2, entryPrice: 90_000, leverage: 5 })]);
    const [half, full, over] = await Promise.all(
      [10_000, 20_000, 1e8].map(
        async (size) => (await resultsOf([close(BTC, size)], handlerDeps({ account: held })))[0]!,
      ),
    );

    const fees = [half, full, over].map((found) => found && "fees" in found && found.fees.estimated_fee_usd);
    expect(fees).toEqual([4.5, 9, 9]);
    // Closing a short buys: the fill is above the mid.
    for (const found of [half, full, over]) {
      expect(found && "slippage" in found && found.slippage.fill_price! > found.slippage.mid_price!).toBe(
        true,
      );
    }
    expect(over!.flags).toContain("close_exceeds_position");
    expect(full!.flags).not.toContain("close_exceeds_position");
  });

  it("is answered alike wherever it stands in a batch of a wallet that cannot be read", async () => {
    const [first, second] = await resultsOf(
      [close(BTC, 100), close(BTC, 100)],
      handlerDeps({ account: FAILURE }),
    );

    expect(second).toEqual(first);
    // The market is fresh, whatever is not known of the wallet.
    expect(first!.flags).toContain("stale_wallet_state");
    expect(first!.flags).not.toContain("stale_market_data");
  });

  it("is answered beside openings that are refused, each in the words of its refusal", async () => {
    const trades = [
      close(BTC, 100),
      { asset: ETH, action: "long", size: 100 },
      { asset: "NOPE", action: "long", size: 1 },
    ];

    const unread = await resultsOf(trades, handlerDeps({ account: FAILURE }));
    const starting = await resultsOf(trades, handlerDeps({ account: walletState(), readiness: "starting" }));

    expect(unread.map(errorOf)).toEqual([
      undefined,
      "the exchange did not give the wallet's state",
      "invalid asset: NOPE",
    ]);
    expect(starting.map(errorOf)).toEqual([
      undefined,
      "the service is starting: market data is still warming up",
      "the service is starting: market data is still warming up",
    ]);
  });

  it("is what keeps a batch alive: without one the whole is refused, to be tried again", async () => {
    const openings = [{ asset: BTC, action: "long", size: 100 }];

    const unread = await answerOf(openings, handlerDeps({ account: FAILURE }));
    const late = await answerOf(openings, handlerDeps({ account: { code: "timeout", detail: "" } }));
    const starting = await answerOf(openings, handlerDeps({ account: walletState(), readiness: "starting" }));

    expect([unread, late, starting]).toMatchObject([
      { ok: false, error: { code: "upstream_failed" } },
      { ok: false, error: { code: "timeout" } },
      { ok: false, error: { code: "starting_up" } },
    ]);
  });

  it("leaves room: what a batch closes first, it may open after", async () => {
    const held = walletState(1_000, [position({ sizeBase: 0.09, entryPrice: 100_000, leverage: 10 })]);
    const open = { asset: ETH, action: "long", size: 9_000, leverage: 10 };

    const [before] = await resultsOf([open], handlerDeps({ account: held }));
    const [, after] = await resultsOf([close(BTC, 9_000), open], handlerDeps({ account: held }));

    expect(before!.flags).toContain("insufficient_margin");
    expect(after!.flags).not.toContain("insufficient_margin");
  });

  it("takes its orders off the book: what is sold after it is sold at a lower price", async () => {
    const held = walletState(1e6, [position({ sizeBase: 20, entryPrice: 100_000, leverage: 10 })]);
    const sell = { asset: BTC, action: "short", size: 2e6, leverage: 10 };

    const [alone] = await resultsOf([sell], handlerDeps({ account: held }));
    const [, after] = await resultsOf([close(BTC, 2e6), sell], handlerDeps({ account: held }));

    expect(fillOf(after!)).toBeLessThan(fillOf(alone!));
  });
});

function close(asset: string, size: number) {
  return { asset, action: "close", size };
}

function answerOf(trades: readonly unknown[], deps: AssessmentDeps) {
  return Promise.resolve(
    handleValidateBatch(
      { wallet: WALLET, trades },
      { requestId: "id", elapsedMs: () => 0, isAbandoned: () => false },
      deps,
    ),
  );
}

async function resultsOf(trades: readonly unknown[], deps: AssessmentDeps): Promise<readonly BatchEntry[]> {
  const answer = await answerOf(trades, deps);
  if (!answer.ok) throw new Error(JSON.stringify(answer.error));
  return readBatch(answer.value);
}

function fillOf(entry: BatchEntry): number {
  if (!("slippage" in entry)) throw new Error(errorOf(entry));
  return entry.slippage.fill_price!;
}

function errorOf({ meta }: BatchEntry): string | undefined {
  return "error" in meta ? meta.error : undefined;
}
