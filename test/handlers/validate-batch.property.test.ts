import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BatchEntry, BatchTrade, ValidateResponse } from "../../src/contracts/generated/types.ts";
import type { WalletState } from "../../src/domain/account.ts";
import { describeRequestError } from "../../src/domain/error-description.ts";
import { handleValidate } from "../../src/handlers/validate.ts";
import { handleValidateBatch } from "../../src/handlers/validate-batch.ts";
import type { AssessmentDeps } from "../../src/handlers/trade-assessment.ts";
import { direction, magnitude } from "../support/arbitraries.ts";
import { BTC, ETH, position, WALLET, walletState } from "../support/builders.ts";
import { assertMatchesSchema } from "../support/closed-schema.ts";
import { handlerDeps, LIVE_VIEWS } from "../support/handler-deps.ts";
import { SOL } from "../support/market.ts";
import { account, marketShape, missingParts, viewOfShape } from "../support/market-arbitraries.ts";
import { readBatch, readValidate } from "../support/read-answer.ts";

// Mutants killed by hand: the account not handed on; the book not handed on, or of the other asset; a failing entry that
// stops the batch or leaves its trade behind; every trade on the first account; liquidity taken by a close without a
// position; open interest not handed on; a later trade read before an earlier one; assumed margin kept, or the wallet's own taken with it, or lent beyond what a trade needs; the wallet of an entry taken for the batch's.

const RELATIVE = 1e-6;
const REQUEST_ID = "one-for-all";
const ASSETS = [BTC, ETH, SOL];

const planned: fc.Arbitrary<BatchTrade> = fc.record(
  {
    asset: fc.constantFrom<string[]>(...ASSETS),
    action: fc.constantFrom("long", "short", "close"),
    size: magnitude(1, 1e7),
    leverage: fc.integer({ min: 1, max: 40 }),
    mode: fc.constantFrom("cross", "isolated"),
    monte_carlo: fc.boolean(),
    explain: fc.boolean(),
  },
  { requiredKeys: ["asset", "action", "size"] },
);
/** Objects that cannot be assessed, each for another reason. */
const unfit = fc.constantFrom<object[]>(
  {},
  { asset: "NOPE", action: "long", size: 10 },
  { asset: BTC, action: "long", size: 0 },
  { asset: BTC, action: "buy", size: 10 },
  { asset: BTC, action: "long", size: 10, leverage: 41 },
  { asset: BTC, action: "long", size: 10, leverge: 2 },
  { asset: BTC, action: "close", size: 2e8 },
);
const NO_OBJECTS = [null, 7, [], "long BTC", [{ asset: BTC }]];
const broken = fc.oneof({ weight: 2, arbitrary: unfit }, fc.constantFrom<unknown[]>(...NO_OBJECTS));
const entry: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: planned },
  { weight: 1, arbitrary: broken },
);
const batch = fc.array(entry, { minLength: 1, maxLength: 6 });

function tradesOf(count: number): readonly BatchTrade[] {
  return Array.from({ length: count }, () => ({ asset: BTC, action: "long", size: 100 }));
}

describe("a batch", () => {
  it("is told what its misspelt field was meant to be", async () => {
    const body = { wallet: WALLET, Trades: tradesOf(1) };
    const call = { requestId: REQUEST_ID, elapsedMs: () => 0, isAbandoned: () => false };

    expect(await handleValidateBatch(body, call, handlerDeps({ account: walletState() }))).toEqual({
      ok: false,
      error: { code: "misspelt_field", field: "Trades", meant: "trades" },
    });
  });

  it("names the place of an entry that is no object", async () => {
    const results = await resultsOf(NO_OBJECTS, handlerDeps({ account: walletState(1e6) }));

    expect(results.map(({ meta }) => ("error" in meta ? meta.error : null))).toEqual(
      [0, 1, 2, 3, 4].map((i) => `trades.${i} must be of type object`),
    );
  });

  it.each([
    ["no trades", { trades: [] }, "validation_error", "trades array is empty"],
    ["51 trades", { trades: tradesOf(51) }, "batch_too_large", "max 50 trades per batch"],
    [
      "no wallet of as many as there may be",
      { trades: tradesOf(50), wallet: 7 },
      "validation_error",
      expect.stringContaining("wallet") as string,
    ],
  ])("says what is wrong with %s", async (_name, body, error, detail) => {
    const result = await handleValidateBatch(
      { wallet: WALLET, ...body },
      { requestId: REQUEST_ID, elapsedMs: () => 0, isAbandoned: () => false },
      handlerDeps({ account: walletState(1e6) }),
    );

    expect(result.ok ? null : describeRequestError(result.error)).toEqual({ error, detail });
  });

  it("of one equals validate", async () => {
    const world = fc.record({
      account,
      shape: marketShape,
      missing: fc.oneof(fc.constant([]), missingParts),
    });
    await fc.assert(
      fc.asyncProperty(world, fc.oneof(planned, unfit), async ({ account: held, shape, missing }, trade) => {
        const views = [viewOfShape(shape, missing), ...LIVE_VIEWS.slice(1)];
        const deps = handlerDeps({ account: held, views });

        const [alone] = await resultsOf([trade], deps);

        const validated = await handleValidate({ ...trade, wallet: WALLET }, REQUEST_ID, deps);
        if (validated.ok) expect(alone).toEqual(readValidate(validated.value));
        else {
          const { error, detail } = describeRequestError(validated.error);
          expect(alone).toMatchObject({
            recommendation: "abort",
            flags: [],
            meta: { error: detail ?? error, error_code: error },
          });
          expect(alone).not.toHaveProperty("sizing");
        }
      }),
    );
  });

  it("answers its first trades as the batch of only those: nothing leaks back from what follows", async () => {
    await fc.assert(
      fc.asyncProperty(account, batch, fc.nat(), async (held, trades, cut) => {
        const count = 1 + (cut % trades.length);

        const whole = await resultsOf(trades, handlerDeps({ account: held }));
        const start = await resultsOf(trades.slice(0, count), handlerDeps({ account: held }));

        expect(whole).toHaveLength(trades.length);
        expect(whole.slice(0, count)).toEqual(start);
      }),
      { numRuns: 100 },
    );
  });

  it("takes margin that was assumed for a trade back when the trade is undone", async () => {
    const cash = fc.oneof(fc.constant(0), magnitude(100, 1e4));
    const size = magnitude(2e4, 1e6);
    const isClose = fc.boolean();
    await fc.assert(
      fc.asyncProperty(cash, direction, size, isClose, planned, async (cashUsd, side, usd, closes, last) => {
        const [there, back] = side > 0 ? ["long", "short"] : ["short", "long"];
        const opening = { asset: BTC, action: there, size: usd, leverage: 1 };
        const undoing = { asset: BTC, action: closes ? "close" : back, size: usd, leverage: 1 };
        const trade = { ...last, asset: ETH, action: "long" };
        const deps = handlerDeps({ account: walletState(cashUsd) });

        const [opened, , third] = (await resultsOf([opening, undoing, trade], deps)) as ValidateResponse[];
        const [alone] = (await resultsOf([trade], deps)) as ValidateResponse[];

        expect(opened!.flags).toContain("insufficient_margin");
        if (cashUsd === 0) expect(third).toEqual(alone);
        // Of a wallet's own cash the costs of both are gone, less than 1 %, and nothing else.
        expect(third!.risk_score).toBeGreaterThanOrEqual(alone!.risk_score - 0.1);
        if (0.01 * usd > cashUsd / 2) return;
        const [poorer] = await resultsOf([trade], handlerDeps({ account: walletState(cashUsd / 2) }));
        const least = (poorer as ValidateResponse).sizing!.max_safe_size_usd;
        expect(third!.sizing!.max_safe_size_usd).toBeGreaterThanOrEqual(0.99 * least);
      }),
      { numRuns: 60 },
    );
  });

  it("takes assumed margin back once: the wallet's own stays for the trades that follow", async () => {
    const open = { asset: BTC, action: "long", size: 50_000, leverage: 1 };
    const small = { asset: ETH, action: "long", size: 100, leverage: 10 };
    const trades = [open, { ...open, action: "close" }, small, { ...small, size: 5_000 }];

    const results = await resultsOf(trades, handlerDeps({ account: walletState(1_000) }));

    const lacks = results.map((entry) => assessed(entry).flags.includes("insufficient_margin"));
    expect(lacks).toEqual([true, false, false, false]);
  });

  it("lends an account that lacked margin before no more than its trades need", async () => {
    // 45 000 of equity against 20 000 and 50 000 of initial margin.
    const held = [
      position({ sizeBase: 1, leverage: 5 }),
      position({ ticker: ETH, sizeBase: 25, entryPrice: 4_000, leverage: 2 }),
    ];
    const deps = handlerDeps({ account: walletState(45_000, held) });
    const small = { asset: SOL, action: "long", size: 20, leverage: 1 };
    const exit = { asset: BTC, action: "close", size: 1_000 };

    const results = await resultsOf([small, small, small, exit], deps);
    const [alone] = await resultsOf([exit], deps);

    expect(assessed(results[0]).flags).toContain("insufficient_margin");
    const [last, wanted] = [assessed(results[3]).liquidation, assessed(alone).liquidation];
    expect(last.effective_leverage / wanted.effective_leverage).toBeCloseTo(1, 2);
    expect(last.distance_pct / wanted.distance_pct).toBeCloseTo(1, 2);
  });

  it("judges the orders of a wallet that is used up alike, whatever it had", async () => {
    const isolated = { asset: BTC, action: "long", size: 428_571, leverage: 3, mode: "isolated" };
    const next = { asset: ETH, action: "long", size: 300, leverage: 5, mode: "cross" };
    const adding = { ...isolated, size: 50 };
    const scoresOf = async (cashUsd: number): Promise<number[]> =>
      (await resultsOf([isolated, adding, next], handlerDeps({ account: walletState(cashUsd) })))
        .map(assessed)
        .map((answer) => answer.risk_score);
    const [, addingScore, nextScore] = await scoresOf(0);

    await fc.assert(
      fc.asyncProperty(magnitude(0.01, 1e5), async (cashUsd) => {
        const [, second, third] = await scoresOf(cashUsd);

        expect([second, third]).toEqual([addingScore, nextScore]);
      }),
      { numRuns: 100 },
    );
  });

  it("is not changed for the others by an entry that fails", async () => {
    await fc.assert(
      fc.asyncProperty(
        account,
        fc.array(planned, { minLength: 1, maxLength: 4 }),
        broken,
        fc.nat(),
        async (held, trades, bad, at) => {
          const index = at % (trades.length + 1);
          const mixed = [...trades.slice(0, index), bad, ...trades.slice(index)];

          const results = await resultsOf(mixed, handlerDeps({ account: held }));
          const clean = await resultsOf(trades, handlerDeps({ account: held }));

          expect(results[index]?.meta).toMatchObject({ error: expect.any(String) as string });
          expect(results.filter((_, i) => i !== index)).toEqual(clean);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("speaks its schema closed, one request id for all", async () => {
    await fc.assert(
      fc.asyncProperty(account, batch, async (held, trades) => {
        const results = await resultsOf(trades, handlerDeps({ account: held }));

        assertMatchesSchema("batch-response", { results });
        for (const { meta } of results) expect(meta.request_id).toBe(REQUEST_ID);
      }),
      { numRuns: 50 },
    );
  });

  it("ends in the same portfolio whatever the order of trades in different assets", async () => {
    const legs = fc.tuple(leg(BTC), leg(ETH), leg(SOL));
    await fc.assert(
      fc.asyncProperty(
        richAccount,
        legs,
        fc.shuffledSubarray([0, 1, 2], { minLength: 3 }),
        async (held, trades, order) => {
          const probe = { asset: "PROBE", action: "close", size: 10 };
          const views = [...LIVE_VIEWS, probeView()];
          const shuffled = order.map((i) => trades[i]!);

          const straight = (await resultsOf([...trades, probe], handlerDeps({ account: held, views }))).at(
            -1,
          );
          const mixed = (await resultsOf([...shuffled, probe], handlerDeps({ account: held, views }))).at(-1);

          expectSamePortfolio(assessed(straight), assessed(mixed));
        },
      ),
      { numRuns: 100 },
    );
  });

  it("charges a split order what it charges the whole, on the book that the parts leave", async () => {
    const parts = fc.array(magnitude(100, 1e7), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(parts, direction, async (sizes, side) => {
        const action = side > 0 ? "long" : "short";
        const deps = handlerDeps({ account: walletState(1e12) });
        const order = (size: number): BatchTrade => ({ asset: BTC, action, size, leverage: 2 });

        const results = (await resultsOf(sizes.map(order), deps)).map(assessed);
        const totalUsd = sizes.reduce((sum, size) => sum + size, 0);
        const [whole] = (await resultsOf([order(totalUsd)], deps)).map(assessed);

        const coins = results.reduce((sum, { slippage }, i) => sum + sizes[i]! / slippage.fill_price!, 0);
        expect(coins / (totalUsd / whole!.slippage.fill_price!)).toBeCloseTo(1, 6);
        const feesUsd = results.reduce((sum, { fees }) => sum + fees.estimated_fee_usd, 0);
        expect(feesUsd / whole!.fees.estimated_fee_usd).toBeCloseTo(1, 9);
        const { price } = results.at(-1)!.liquidation;
        if (whole!.liquidation.price > 0) expect(price / whole!.liquidation.price).toBeCloseTo(1, 6);
      }),
      { numRuns: 100 },
    );
  });

  it("fills the room below the open-interest cap by what its trades open, and frees none by what they close", async () => {
    const deps = handlerDeps({ account: walletState(1e12) });
    const order = (action: string, size: number): unknown => ({ asset: BTC, action, size, leverage: 2 });

    const results = (
      await resultsOf([order("long", 5e6), order("long", 1e6), order("short", 2e6), order("long", 1e6)], deps)
    ).map(assessed);

    const usedPct = results.map(({ oi }) => oi.utilization_pct);
    const capUsd = LIVE_VIEWS.find(({ listing }) => listing.ticker === BTC)!.openInterest.capUsd;
    expect(usedPct[1]! - usedPct[0]!).toBeCloseTo((100 * 5e6) / capUsd, 3);
    expect(usedPct[2]! - usedPct[1]!).toBeCloseTo((100 * 1e6) / capUsd, 3);
    expect(usedPct[3]).toBe(usedPct[2]);
  });

  it("leaves the other side of the book and other assets alone", async () => {
    await fc.assert(
      fc.asyncProperty(direction, magnitude(1e3, 1e7), async (side, size) => {
        const deps = handlerDeps({ account: walletState(1e12) });
        const first = { asset: BTC, action: side > 0 ? "long" : "short", size, leverage: 2 };
        const back = { asset: BTC, action: side > 0 ? "short" : "long", size, leverage: 2 };
        const other = { asset: ETH, action: first.action, size, leverage: 2 };

        const [, returned, elsewhere] = (await resultsOf([first, back, other], deps)).map(assessed);
        const [backAlone] = (await resultsOf([back], deps)).map(assessed);
        const [otherAlone] = (await resultsOf([other], deps)).map(assessed);

        expect(returned!.slippage.fill_price).toBe(backAlone!.slippage.fill_price);
        expect(elsewhere!.slippage).toEqual(otherAlone!.slippage);
      }),
      { numRuns: 50 },
    );
  });

  it("takes from the book what a close is worth, not what it asked for", async () => {
    const held = walletState(1e9, [position({ sizeBase: 1, entryPrice: 100_000 })]);
    const sell = { asset: BTC, action: "short", size: 1e6, leverage: 2 };
    const closing = (size: number): unknown => ({ asset: BTC, action: "close", size });

    const [, afterHuge] = await resultsOf([closing(1e8), sell], handlerDeps({ account: held }));
    const [, afterExact] = await resultsOf([closing(100_000), sell], handlerDeps({ account: held }));

    expect(assessed(afterHuge).slippage).toEqual(assessed(afterExact).slippage);
  });

  it("has one wallet: an entry that names another is assessed on the batch's", async () => {
    const deps = handlerDeps({ account: walletState(1e6) });
    const trade = { asset: BTC, action: "long", size: 1_000 };

    const [named] = await resultsOf([{ ...trade, wallet: "0x12" }], deps);
    const [plain] = await resultsOf([trade], deps);

    expect(named).toEqual(plain);
  });

  it("takes nothing from the book with a close of nothing", async () => {
    const deps = handlerDeps({ account: walletState(1e9) });
    const sell = { asset: BTC, action: "short", size: 1e6, leverage: 2 };

    const [, after] = (await resultsOf([{ asset: BTC, action: "close", size: 1e6 }, sell], deps)).map(
      assessed,
    );
    const [alone] = (await resultsOf([sell], deps)).map(assessed);

    expect(after).toEqual(alone);
  });

  it("is flat after a position was opened and closed in it, poorer by slippage and fees", async () => {
    await fc.assert(
      fc.asyncProperty(magnitude(100, 1e6), direction, async (size, side) => {
        const deps = handlerDeps({
          account: walletState(1e9, [position({ ticker: ETH, sizeBase: 1, entryPrice: 4_000 })]),
        });
        const open = { asset: BTC, action: side > 0 ? "long" : "short", size, leverage: 5 };
        const close = { asset: BTC, action: "close", size: 1e8 };

        const [opened, closed] = (await resultsOf([open, close], deps)).map(assessed);

        expect(opened!.portfolio_attribution!.positions).toHaveLength(2);
        expect(closed!.portfolio_attribution!.positions.map(({ asset }) => asset)).toEqual([ETH]);
        expect(closed!.flags).toContain("close_exceeds_position");
        expect(closed!.liquidation.mode).toBe("close");
        // The close is assessed at the position's size, not at the request's.
        expect(closed!.fees.estimated_fee_usd / opened!.fees.estimated_fee_usd).toBeCloseTo(1, 9);
      }),
      { numRuns: 50 },
    );
  });
});

/** Enough money that no trade lacks margin: what a wallet lacks is assumed, and then order matters. */
const richAccount: fc.Arbitrary<WalletState> = account.map((held) => ({
  ...held,
  crossCashUsd: 1e9,
  positions: held.positions.filter(({ ticker }) => ASSETS.includes(ticker)),
}));

function leg(asset: string): fc.Arbitrary<BatchTrade> {
  return fc.record({
    asset: fc.constant(asset),
    action: fc.constantFrom("long", "short", "close"),
    size: magnitude(100, 1e6),
    leverage: fc.integer({ min: 1, max: 20 }),
    mode: fc.constantFrom("cross", "isolated"),
  });
}

/** An asset that nothing trades: closing it shows the portfolio and changes nothing. */
function probeView() {
  const view = LIVE_VIEWS[2]!;
  return { ...view, sheetRow: null, listing: { ...view.listing, ticker: "PROBE" as typeof BTC } };
}

async function resultsOf(trades: readonly unknown[], deps: AssessmentDeps): Promise<readonly BatchEntry[]> {
  const call = { requestId: REQUEST_ID, elapsedMs: () => 0, isAbandoned: () => false };
  const answer = await handleValidateBatch({ wallet: WALLET, trades }, call, deps);
  if (!answer.ok) throw new Error(JSON.stringify(answer.error));
  return readBatch(answer.value);
}

function assessed(found: BatchEntry | undefined): ValidateResponse {
  if (found === undefined || !("risk_score" in found))
    throw new Error(`not assessed: ${JSON.stringify(found)}`);
  return found;
}

function expectSamePortfolio(a: ValidateResponse, b: ValidateResponse): void {
  const facts = ({
    portfolio_attribution: attribution,
    portfolio_stress: stress,
    liquidation,
  }: ValidateResponse) => ({
    ...Object.fromEntries(
      (attribution?.positions ?? []).flatMap(({ asset, component_var, marginal_var }) => [
        [`${asset} component`, component_var],
        [`${asset} incremental`, marginal_var],
      ]),
    ),
    total: attribution?.total_var_99 ?? 0,
    stressUsd: stress?.total_pnl_usd ?? 0,
    marginUsed: liquidation.margin_used_pct,
    leverage: liquidation.effective_leverage,
  });
  const [first, second] = [facts(a), facts(b)] as readonly Readonly<Record<string, number>>[];
  expect(Object.keys(first!).sort()).toEqual(Object.keys(second!).sort());
  for (const [name, value] of Object.entries(first!)) {
    expect([name, Math.abs(value - second![name]!) <= RELATIVE * Math.abs(value) + 1e-4]).toEqual([
      name,
      true,
    ]);
  }
}
