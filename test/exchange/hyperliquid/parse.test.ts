import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { walletAddressOf } from "../../../src/domain/ids.ts";
import type { Parsed } from "../../../src/exchange/hyperliquid/field-reader.ts";
import {
  parseAccountMode,
  parsePerpAccount,
  parseSpotAccount,
  parseTakerFeeFraction,
} from "../../../src/exchange/hyperliquid/parse-account.ts";
import { parseBook, parseTouch } from "../../../src/exchange/hyperliquid/parse-book.ts";
import { parseFrame } from "../../../src/exchange/hyperliquid/parse-frame.ts";
import {
  parseBar,
  parseBars,
  parseFundingHistory,
  parsePredictedFundings,
} from "../../../src/exchange/hyperliquid/parse-history.ts";
import {
  parseContext,
  parseTickersAtCap,
  parseUniverse,
} from "../../../src/exchange/hyperliquid/parse-universe.ts";
import { assembleWallet } from "../../../src/exchange/hyperliquid/wallet-assembly.ts";
import {
  hasSharedData,
  hasSharedReference,
  SHARED_REFERENCE_DIR,
  sharedJson,
  sharedText,
} from "../../support/shared-data.ts";

const fixture = (name: string): unknown => sharedJson(`exchange_fixtures/${name}`);
const example = (name: string): unknown =>
  JSON.parse(readFileSync(`${SHARED_REFERENCE_DIR}/exchange-examples/${name}.json`, "utf8")) as unknown;

describe("parseUniverse", () => {
  const asset = (name: string, overrides: object = {}) => ({
    name,
    szDecimals: 2,
    maxLeverage: 10,
    marginTableId: 10,
    ...overrides,
  });
  const context = (overrides: object = {}) => ({
    markPx: "10",
    oraclePx: "10",
    midPx: "10",
    prevDayPx: "10",
    funding: "0.00001",
    premium: "0",
    openInterest: "5",
    dayNtlVlm: "1000",
    impactPxs: ["9.9", "10.1"],
    ...overrides,
  });
  const tiers = (lowerBound: string) => ({ marginTiers: [{ lowerBound, maxLeverage: 10 }] });

  it("takes a margin mode of null for none: the asset may be traded cross", () => {
    const universe = [
      asset("A", { marginMode: null, onlyIsolated: null }),
      asset("B", { marginMode: "noCross" }),
    ];
    const { assets } = valueOf(parseUniverse([{ universe, marginTables: [] }, [context(), context()]], 1));

    expect(assets.map(({ listing }) => listing.isIsolatedOnly)).toEqual([false, true]);
  });

  it.each([
    ["whose leverage rises with the position", "3000000.0", 50],
    ["of which two tiers begin at once", "0.0", 5],
  ])("believes no margin table %s", (_what, lowerBound, maxLeverage) => {
    const marginTiers = [
      { lowerBound: "0.0", maxLeverage: 10 },
      { lowerBound, maxLeverage },
    ];
    const universe = [asset("A"), asset("B", { marginTableId: 51 })];

    const { assets, rejected } = valueOf(
      parseUniverse([{ universe, marginTables: [[51, { marginTiers }]] }, [context(), context()]], 1),
    );

    expect(assets.map(({ listing }) => [listing.ticker, listing.isCloseOnly])).toEqual([
      ["A", false],
      ["B", true],
    ]);
    expect(rejected[0]).toMatchObject({ code: "out_of_order", path: "marginTables[0].marginTiers" });
  });

  it("takes the lower leverage where a listing and its margin table contradict each other", () => {
    const marginTiers = [
      { lowerBound: "0.0", maxLeverage: 400 },
      { lowerBound: "3000000.0", maxLeverage: 5 },
    ];
    const universe = [
      asset("A", { marginTableId: 51, maxLeverage: 10 }),
      asset("B", { marginTableId: 3, maxLeverage: 40 }),
    ];
    const { assets } = valueOf(
      parseUniverse([{ universe, marginTables: [[51, { marginTiers }]] }, [context(), context()]], 1),
    );

    expect(assets.map(({ listing }) => listing.maxLeverage)).toEqual([10, 3]);
    expect(assets.map(({ listing }) => listing.marginTiers.map((tier) => tier.maxLeverage))).toEqual([
      [10, 5],
      [3],
    ]);
  });

  it("takes a margin table that is listed at its word, whatever its id", () => {
    const marginTiers = [
      { lowerBound: "0.0", maxLeverage: 10 },
      { lowerBound: "3000000.0", maxLeverage: 5 },
    ];
    const universe = [asset("A"), asset("B", { marginTableId: 3, maxLeverage: 3 })];
    const { assets, rejected } = valueOf(
      parseUniverse([{ universe, marginTables: [[10, { marginTiers }]] }, [context(), context()]], 1),
    );

    expect(rejected).toEqual([]);
    expect(assets.map(({ listing }) => listing.marginTiers.map((tier) => tier.maxLeverage))).toEqual([
      [10, 5],
      [3],
    ]);
  });

  it("leaves out a row without a name of its own, and only that one; an asset without terms or context is listed", () => {
    const universe = valueOf(
      parseUniverse(
        [
          {
            universe: [
              asset("A"),
              asset("B", { maxLeverage: "two" }),
              asset("C"),
              asset("D"),
              asset("A"),
              asset("E", { marginTableId: 51 }),
              null,
              asset("F", { marginTableId: 52 }),
            ],
            marginTables: [
              [51, tiers("7")],
              [52, tiers("0")],
            ],
          },
          [
            context(),
            context(),
            context({ markPx: "0" }),
            context({ markPx: "13", oraclePx: "13" }),
            context(),
            context(),
            context(),
            context({ markPx: "17", oraclePx: "17" }),
          ],
        ],
        1,
      ),
    );

    expect(
      universe.assets.map(({ listing, context }) => [
        listing.ticker,
        listing.assetIndex,
        context?.markPrice ?? null,
        listing.isCloseOnly,
      ]),
    ).toEqual([
      ["A", 0, 10, false],
      ["B", 1, 10, true],
      ["C", 2, null, false],
      ["D", 3, 13, false],
      ["E", 5, 10, true],
      ["F", 7, 17, false],
    ]);
    expect(universe.rejected.map(({ path, code }) => `${path} ${code}`)).toEqual([
      "marginTables[0].marginTiers mismatch",
      "universe[1] B: maxLeverage wrong_type",
      "ctxs[2] C: markPx not_positive",
      "universe[4]: name mismatch",
      "universe[5] E: marginTableId mismatch",
      "universe[6]: asset wrong_type",
    ]);
    expect(universe.isWhole).toBe(false);
  });

  it("needs of a row only what is computed from", () => {
    const rows = [asset("A", { szDecimals: "two" }), asset("B", { szDecimals: undefined })];
    const parsed = valueOf(parseUniverse([{ universe: rows, marginTables: [] }, [context(), context()]], 1));

    expect(parsed.assets.map(({ listing }) => listing.ticker)).toEqual(["A", "B"]);
    expect(parsed.rejected).toEqual([]);
  });

  it("lists an asset whatever its context, and needs of that only what is computed from", () => {
    const contexts = [
      context({ premium: "NaN" }),
      context({ premium: null, midPx: "NaN", oraclePx: "x", prevDayPx: "0", impactPxs: ["NaN"] }),
      context({ funding: "NaN" }),
      null,
    ];
    const universe = ["A", "B", "C", "D"].map((name) => asset(name));
    const parsed = valueOf(parseUniverse([{ universe, marginTables: [] }, contexts], 1));

    expect(parsed.assets).toMatchObject([
      { listing: { ticker: "A" }, context: { markPrice: 10 } },
      { listing: { ticker: "B" }, context: { markPrice: 10, midPrice: null } },
      { listing: { ticker: "C" }, context: null },
      { listing: { ticker: "D" }, context: null },
    ]);
    expect(parsed.rejected.map(({ path, code }) => `${path} ${code}`)).toEqual([
      "ctxs[2] C: funding not_decimal",
      "ctxs[3] D: ctx wrong_type",
    ]);
  });

  it.each([
    { openInterest: "1e308" },
    { openInterest: "5e14" },
    { openInterest: "1e-40" },
    { dayNtlVlm: "1e300" },
    { markPx: "1e16" },
    { markPx: "1e-300", oraclePx: null },
    { funding: "-1e308" },
  ])("takes %j for no market's figure", (amount) => {
    const universe = [asset("A"), asset("B")];
    const parsed = valueOf(parseUniverse([{ universe, marginTables: [] }, [context(amount), context()]], 1));

    expect(parsed.assets.map(({ context }) => context?.openInterestBase ?? null)).toEqual([null, 5]);
    expect(parseContext(context(amount), 1).ok).toBe(false);
  });

  it("takes a mid beyond any market for none", () => {
    expect(valueOf(parseContext(context({ midPx: "1e16" }), 1)).midPrice).toBeNull();
  });

  it("takes a mark far beyond its oracle and its book for a mistake, and nothing that is beyond one alone", () => {
    for (const [amount, isRead] of [
      [{ markPx: "12.01" }, false],
      [{ markPx: "8.3" }, false],
      [{ markPx: "12" }, true],
      [{ markPx: "8.4" }, true],
      [{ markPx: "15", midPx: "16" }, true],
      [{ markPx: "15", oraclePx: "16" }, true],
      [{ markPx: "30", midPx: "11", oraclePx: "16" }, false],
      [{ markPx: "15", midPx: null }, true],
      [{ markPx: "6", midPx: "5" }, true],
      [{ markPx: "6", oraclePx: "5" }, true],
    ] as const) {
      expect(parseContext(context(amount), 1).ok, JSON.stringify(amount)).toBe(isRead);
    }
  });

  it.each<[string, object, number]>([
    ["of its listing", { marginTableId: 77 }, 20],
    ["of its table", { maxLeverage: "10" }, 20],
    ["of neither, where it is the lowest recorded", { maxLeverage: null, marginTableId: null }, 3],
  ])("takes half of what can be read for the leverage of a close-only asset: %s", (_, overrides, said) => {
    const marginTiers = [
      { lowerBound: "0.0", maxLeverage: 20 },
      { lowerBound: "3000000.0", maxLeverage: 10 },
    ];
    const row = asset("A", { maxLeverage: 20, marginTableId: 51, ...overrides });
    const meta = { universe: [row], marginTables: [[51, { marginTiers }]] };
    const { assets } = valueOf(parseUniverse([meta, [context()]], 1));

    expect(assets).toMatchObject([
      {
        context: { markPrice: 10 },
        listing: {
          isCloseOnly: true,
          maxLeverage: said,
          marginTiers: [{ notionalLowerUsd: 0, maxLeverage: said / 2 }],
        },
      },
    ]);
  });

  it("lists assets without contexts where these are not one for each, and close-only ones without margin tables", () => {
    const rows = [asset("A"), asset("B", { marginTableId: 51 })];
    const short = valueOf(parseUniverse([{ universe: rows, marginTables: [] }, [context()]], 1));
    const bare = valueOf(parseUniverse([{ universe: rows }], 1));

    for (const { assets, isWhole } of [short, bare]) {
      expect(isWhole).toBe(true);
      expect(assets.map(({ listing, context: known }) => [listing.isCloseOnly, known])).toEqual([
        [false, null],
        [true, null],
      ]);
    }
    expect(short.rejected).toMatchObject([
      { path: "ctxs", code: "mismatch" },
      { path: "universe[1] B: marginTableId" },
    ]);
    expect(bare.rejected).toMatchObject([{ path: "marginTables" }, { path: "ctxs" }, {}]);
  });

  it("refuses an answer in which no asset has a name", () => {
    const none = parseUniverse([{ universe: [null], marginTables: [] }, [context()]], 1);

    expect([none.ok, parseUniverse([{ universe: {} }, []], 1).ok]).toEqual([false, false]);
    expect(parseUniverse([{ universe: [], marginTables: [] }, []], 1)).toMatchObject({
      error: { path: "universe", code: "mismatch" },
    });
    for (const [answer, path] of [
      ["<html>", "metaAndAssetCtxs"],
      [null, "metaAndAssetCtxs"],
      [[{ assets: [] }, []], "universe"],
    ] as const) {
      expect(parseUniverse(answer, 1)).toMatchObject({ error: { path } });
    }
  });
});

describe("parseTakerFeeFraction", () => {
  it("believes no taker fee that is a hundred times a fee", () => {
    expect(valueOf(parseTakerFeeFraction({ userCrossRate: "0.00045" }))).toBe(0.00045);
    expect(parseTakerFeeFraction({ userCrossRate: "0.045" })).toMatchObject({
      ok: false,
      error: { code: "mismatch", path: "userCrossRate" },
    });
  });

  it("takes off the referral discount, which the rate has not in it", () => {
    const feeAt = (activeReferralDiscount: unknown) =>
      parseTakerFeeFraction({ userCrossRate: "0.00045", activeReferralDiscount });

    expect(valueOf(feeAt("0.04"))).toBeCloseTo(0.000432, 12);
    for (const none of ["0.0", null, undefined]) expect(valueOf(feeAt(none))).toBe(0.00045);
    for (const wrong of ["1.5", "-0.1", 0.04]) {
      expect(feeAt(wrong)).toMatchObject({ ok: false, error: { path: "activeReferralDiscount" } });
    }
  });
});

describe.skipIf(!hasSharedData)("recorded answers", () => {
  it("joins contexts to listings by index; delisted rows are exactly those without a mid and stay in place", () => {
    const wire = fixture("metaAndAssetCtxs_20250822T070353Z.json") as [
      { universe: { name: string }[] },
      unknown[],
    ];
    const { assets } = valueOf(parseUniverse(wire, 1));

    expect(assets.map(({ listing }) => listing.ticker)).toEqual(wire[0].universe.map(({ name }) => name));
    expect(assets.map(({ listing }) => listing.assetIndex)).toEqual(wire[1].map((_, i) => i));
    for (const { listing, context } of assets) expect(context?.midPrice === null).toBe(listing.isDelisted);
    expect(assets.filter(({ listing }) => listing.isDelisted)).toHaveLength(32);
    expect(assets[0]?.context).toMatchObject({ markPrice: 113_080, fundingRateHourly: 0.0000125 });
  });

  it("reads margin tables: an id below 50 is one tier of that leverage", () => {
    const { assets } = valueOf(parseUniverse(fixture("metaAndAssetCtxs_20250822T070353Z.json"), 1));
    const tiersOf = (name: string) =>
      assets.find(({ listing }) => listing.ticker === name)?.listing.marginTiers;

    expect(tiersOf("BTC")).toEqual([
      { notionalLowerUsd: 0, maxLeverage: 40 },
      { notionalLowerUsd: 150_000_000, maxLeverage: 20 },
    ]);
    expect(tiersOf("ATOM")).toEqual([{ notionalLowerUsd: 0, maxLeverage: 5 }]);
  });

  it("marks isolated-only assets by either flag", () => {
    const recorded = fixture("metaAndAssetCtxs_20250822T070353Z.json") as [unknown, unknown[]];
    const { assets } = valueOf(parseUniverse(recorded, 1));
    const wire = { name: "X", szDecimals: 0, maxLeverage: 3, marginTableId: 3 };
    const noCross = valueOf(
      parseUniverse(
        [{ universe: [{ ...wire, marginMode: "noCross" }], marginTables: [] }, recorded[1].slice(0, 1)],
        1,
      ),
    ).assets;

    expect(assets.some(({ listing }) => listing.isIsolatedOnly)).toBe(true);
    expect(assets.find(({ listing }) => listing.ticker === "BTC")?.listing.isIsolatedOnly).toBe(false);
    expect(noCross[0]?.listing.isIsolatedOnly).toBe(true);
  });

  it("gives predicted fundings per hour: intervals of 1, 4 and 8 hours, 8 where none is said, null venues left out", () => {
    const predicted = valueOf(
      parsePredictedFundings(fixture("predictedFundings_subset40_20261005.json")),
    ).rows;
    const ratesOf = (name: string) => predicted.find(({ ticker }) => ticker === name)?.cexRatesHourly;

    expect(predicted).toHaveLength(40);
    expect(ratesOf("2Z")?.[0]).toBe(-0.00009023 / 4);
    expect(ratesOf("AAVE")?.[0]).toBe(0.0001 / 8);
    expect(ratesOf("AI16Z")).toEqual([0]);
    expect(Math.max(...predicted.map(({ cexRatesHourly }) => cexRatesHourly.length))).toBe(2);
  });

  it.each([
    ["l2book_btc_nsf5.json", 13.7, 3],
    ["l2book_btc_nsf5_m5.json", 80, 15],
    ["l2book_btc_nsf4.json", 114, 30],
    ["l2book_btc_nsf3.json", 375, 300],
  ])("%s holds %d M USD within %d bps", (name, millionUsd, reachBps) => {
    const book = valueOf(parseBook(fixture(name), "coarse", 1));
    if (book === null) throw new Error("no book");
    const usd = [book.bids, book.asks].flatMap(({ prices, sizesBase }) =>
      [...prices].map((p, i) => p * (sizesBase[i] ?? 0)),
    );
    const mid = ((book.bids.prices[0] ?? 0) + (book.asks.prices[0] ?? 0)) / 2;

    expect(usd.reduce((sum, x) => sum + x, 0) / 1e6 / millionUsd).toBeCloseTo(1, 2);
    expect(((1 - (book.bids.prices.at(-1) ?? 0) / mid) * 1e4) / reachBps).toBeCloseTo(1, 2);
  });

  it("reads an account's cash leg so that equity follows from it: cash + size x mark = account value", () => {
    for (const name of ["whale", "small", "BTC1pos_20260925", "empty_mainnet"]) {
      const state = fixture(`clearinghouseState_${name}.json`) as {
        crossMarginSummary: { accountValue: string };
      };
      const perp = valueOf(parsePerpAccount(state));
      const equityUsd = Number(state.crossMarginSummary.accountValue);
      expect(perp.crossCashUsd + perp.crossSignedNotionalUsd).toBeCloseTo(equityUsd, 4);
    }
  });

  it("reads the taker fee that the same wallet paid on its recorded fills", () => {
    const feeFraction = valueOf(parseTakerFeeFraction(fixture("report_user_fees_20260602T1831Z.json")));
    const { _items: fills } = fixture("report_user_fills_20260602T1831Z.json") as {
      _items: { px: string; sz: string; fee: string; crossed: boolean }[];
    };
    const taken = fills.filter(({ crossed }) => crossed);

    expect(taken.length).toBeGreaterThan(30);
    for (const { px, sz, fee } of taken) {
      const exactUsd = feeFraction * Number(px) * Number(sz);
      expect(Math.abs(Number(fee) - exactUsd)).toBeLessThan(1e-6);
    }
  });

  it("reads candles and settlements", () => {
    expect(
      valueOf(parseBars(fixture("sdk_candleSnapshot_get_candles_snapshot.json"))).rows.length,
    ).toBeGreaterThan(10);
    const settlements = valueOf(
      parseFundingHistory(fixture("sdk_fundingHistory_get_funding_history_None.json")),
    ).rows;
    expect(settlements[0]).toEqual({
      timeMs: 1683849600048,
      rateHourly: -0.00061334,
      premiumFraction: -0.00091334,
    });
  });

  it("reads every verbatim socket frame", () => {
    const lines = sharedText("books/hl_ws_raw_BTC_20250126.jsonl").trimEnd().split("\n");
    const frames = lines.map((line) => parseFrame(line, 1));

    expect(frames.filter(({ ok }) => !ok)).toEqual([]);
    expect(frames.filter((frame) => frame.ok && frame.value.type === "book")).toHaveLength(46);
    expect(
      valueOf(parseFrame(sharedText("exchange_fixtures/activeAssetCtx_ws_BTC_20260925.json"), 7)),
    ).toMatchObject({
      type: "context",
      ticker: "BTC",
      context: { markPrice: 83_757, arrivedAtMs: 7 },
    });
  });
});

it.each([null, 7, "x", [], {}])("reads no frame of a channel that carries %j", (data) => {
  const channels = ["l2Book", "bbo", "activeAssetCtx", "candle", "clearinghouseState", "spotState"];
  for (const channel of [...channels, "subscriptionResponse"]) {
    const frame = parseFrame(JSON.stringify({ channel, data }), 1);
    expect(frame.ok ? frame.value.type : "refused", channel).toMatch(/^(refused|unknown)$/);
  }
});

it("reads no frame that does not say which asset it is about", () => {
  const data = { t: 0, o: "10", h: "11", l: "9", c: "10", v: "1", i: "1h" };
  const candle = (name: object): string => JSON.stringify({ channel: "candle", data: { ...data, ...name } });

  expect(valueOf(parseFrame(candle({ s: "BTC" }), 1))).toMatchObject({ type: "bar", ticker: "BTC" });
  expect(parseFrame(candle({}), 1)).toMatchObject({ ok: false });
});

it("tells the echo of a subscription from that of its end", () => {
  const echoOf = (method: string): string =>
    JSON.stringify({
      channel: "subscriptionResponse",
      data: { method, subscription: { type: "bbo", coin: "BTC" } },
    });
  expect(valueOf(parseFrame(echoOf("subscribe"), 1))).toEqual({
    type: "acknowledged",
    subscription: { type: "bbo", coin: "BTC" },
  });
  expect(valueOf(parseFrame(echoOf("unsubscribe"), 1))).toEqual({ type: "unsubscribed" });
});

describe.skipIf(!hasSharedReference)("documented frames", () => {
  it.each([
    ["ws.l2Book.message", { type: "book", frame: { source: "slow" } }],
    ["ws.l2Book.fast.message", { type: "book", frame: { source: "fast" } }],
    ["ws.l2Book.delistedCoin.message", { type: "book" }],
    ["ws.bbo.message", { type: "book", frame: { source: "touch" } }],
    ["ws.bbo.one-sided", { type: "book", frame: { source: "touch" } }],
    ["ws.activeAssetCtx.message", { type: "context", ticker: "BTC" }],
    ["ws.clearinghouseState.message", { type: "perp_account" }],
    [
      "ws.spotState.message",
      { type: "spot_account", account: { availableAfterMaintenanceUsd: 18_301.94211907 } },
    ],
    ["ws.pong", { type: "pong" }],
    ["ws.l2Book.ack", { type: "acknowledged" }],
    ["ws.trades.message", { type: "unknown", channel: "trades" }],
    ["ws.error.tooManyUsers", { type: "complaint" }],
  ])("%s", (name, expected) => {
    expect(valueOf(parseFrame(JSON.stringify(example(name)), 1))).toMatchObject(expected);
  });

  it("reads answers: caps, account modes, spot balances, no book for an unknown coin", () => {
    const atCap = valueOf(parseTickersAtCap(example("rest.perpsAtOpenInterestCap.response")));
    expect(atCap.rows.length).toBeGreaterThan(0);
    expect(valueOf(parseAccountMode(example("rest.userAbstraction.response")))).toBe("unified");
    expect(valueOf(parseSpotAccount(example("rest.spotClearinghouseState.unified.response")))).toEqual({
      isEmpty: false,
      availableAfterMaintenanceUsd: 18_301.94211907,
    });
    expect(valueOf(parseBook(null, "slow", 1))).toBeNull();
    expect(
      valueOf(parsePerpAccount(example("rest.clearinghouseState.unknownWallet.response"))).positions,
    ).toEqual([]);
  });
});

describe("a value that is not what it must be", () => {
  it.each(["", " ", "NaN", "Infinity", "0x10", "1e999", "1,5", 12, null])("%j is no price", (px) => {
    const levels = [[{ px, sz: "1", n: 1 }], []];
    expect(parseBook({ coin: "BTC", time: 1, levels }, "slow", 1).ok).toBe(false);
  });

  it.each([
    [{ px: "1e-300", sz: "1" }, "px"],
    [{ px: "1e16", sz: "1e-6" }, "px"],
    [{ px: "10.0", sz: "1e300" }, "sz"],
    [{ px: "10.0", sz: "1e15" }, "sz"],
    [{ px: "10.0", sz: "1e-300" }, "sz"],
  ])("%j is no level of a market, in a book or a touch", (level, field) => {
    const [inBook, inTouch] = [
      parseBook({ coin: "BTC", time: 1, levels: [[level], []] }, "slow", 1),
      parseTouch({ coin: "BTC", time: 1, bbo: [null, level] }, 1),
    ];

    const found = level[field as keyof typeof level];
    expect(inBook).toEqual({ ok: false, error: { code: "mismatch", path: `levels[0].${field}`, found } });
    expect(inTouch).toEqual({ ok: false, error: { code: "mismatch", path: `bbo[1].${field}`, found } });
  });

  it.each([
    { px: "0.000001", sz: "1000000000.0" },
    { px: "1000000.0", sz: "0.00001" },
  ])("%j is one", (level) => {
    expect(parseTouch({ coin: "BTC", time: 1, bbo: [null, level] }, 1).ok).toBe(true);
  });

  it.each([
    { i: "1m" },
    { t: 60_000 },
    { l: "10.5" },
    { h: "9.5" },
    { o: "8.5" },
    { c: "8.5" },
    { o: "11.5" },
    { c: "11.5" },
    { h: "1e16" },
    { l: "1e-13" },
    { v: "1e16" },
    { o: "1e-300", l: "1e-300" },
    { h: "1e308", c: "1e308" },
  ])("%j is no bar of a market, and a wick within its order is", (said) => {
    const candle = { t: 0, o: "10", h: "11", l: "9", c: "10", v: "1" };

    expect(parseBar({ ...candle, ...said })).toMatchObject({ error: { code: "mismatch" } });
    expect(parseBar({ ...candle, h: "1e12", l: "1e-12" }).ok).toBe(true);
  });

  it("is a settled rate of more than all", () => {
    const row = { coin: "X", premium: "0.0", time: 1 };
    const rows = [
      { ...row, fundingRate: "1e300" },
      { ...row, fundingRate: "-0.04" },
    ];

    expect(valueOf(parseFundingHistory(rows)).rows.map(({ rateHourly }) => rateHourly)).toEqual([-0.04]);
  });

  it("is a book of thousands of levels", () => {
    const bids = (levels: number): object[] =>
      Array.from({ length: levels }, (_, i) => ({ px: String(9_999 - i), sz: "1.0", n: 1 }));
    const parsed = (levels: number) =>
      parseBook({ coin: "BTC", time: 1, levels: [bids(levels), []] }, "slow", 1);

    expect(parsed(1_000).ok).toBe(true);
    expect(parsed(1_001)).toMatchObject({ error: { code: "mismatch", path: "levels[0]" } });
  });

  it("is a bid at the price of an ask", () => {
    const level = { px: "10.0", sz: "1.0", n: 1 };
    expect(parseBook({ coin: "BTC", time: 1, levels: [[level], [level]] }, "slow", 1)).toMatchObject({
      error: { code: "crossed" },
    });
  });

  it("is named with its place", () => {
    const levels = [[], [{ px: "10.0", sz: "-1", n: 1 }]];
    expect(parseBook({ coin: "BTC", time: 1, levels }, "slow", 1)).toEqual({
      ok: false,
      error: { code: "not_positive", path: "levels[1].sz", found: "-1" },
    });
  });

  it.each([
    [
      "l2Book",
      { coin: "kPEPE", time: 1, levels: [[{ px: "1", sz: "0.0" }], []] },
      "l2Book of kPEPE: levels[0].sz",
    ],
    ["bbo", { coin: "ETH", time: 1, bbo: [null, { px: "0", sz: "1" }] }, "bbo of ETH: bbo[1].px"],
    ["activeAssetCtx", { coin: "SOL", ctx: {} }, "activeAssetCtx of SOL: markPx"],
    ["candle", { s: "BTC", t: 0 }, "candle of BTC: candle.o"],
    ["l2Book", { coin: 7, time: 1, levels: [[], []] }, "l2Book of without a name: coin"],
    ["bbo", "x", "bbo: bbo"],
  ])("is named with the asset of its frame: %s", (channel, data, path) => {
    expect(parseFrame(JSON.stringify({ channel, data }), 1)).toMatchObject({ ok: false, error: { path } });
  });

  it("is refused in a premium, where absence and NaN are null", () => {
    const row = { coin: "X", fundingRate: "0.0000125", time: 1 };
    expect(valueOf(parseFundingHistory([row])).rows[0]?.premiumFraction).toBeNull();
    expect(valueOf(parseFundingHistory([{ ...row, premium: "NaN" }])).rows[0]?.premiumFraction).toBeNull();
    expect(parseFundingHistory([{ ...row, premium: "x" }]).ok).toBe(false);
  });

  it("costs its row of a list and no other; rows are sorted, and of two of one time the later stands", () => {
    const candle = (hour: number, c: string) => ({ t: hour * 3_600_000, o: "1", h: "9", l: "1", c, v: "0" });
    const rows = [candle(2, "2"), candle(1, "3"), candle(2, "4"), candle(3, "NaN")];
    const bars = valueOf(parseBars(rows));
    expect(bars.rows.map(({ openTimeMs, close }) => [openTimeMs / 3_600_000, close])).toEqual([
      [1, 3],
      [2, 4],
    ]);
    expect([bars.sentCount, bars.rejected.map(({ path }) => path)]).toEqual([4, ["[3].c"]]);

    const funding = { coin: "X", fundingRate: "0.1", time: 5 };
    const history = valueOf(
      parseFundingHistory([funding, { ...funding, time: 3 }, { ...funding, time: "7" }]),
    );
    expect(history.rows.map(({ timeMs }) => timeMs)).toEqual([3, 5]);

    const venue = (fundingRate: string) => [["BinPerp", { fundingRate, fundingIntervalHours: 8 }]];
    const predicted = valueOf(parsePredictedFundings([["A", venue("NaN")], ["B", venue("0.8")], ["C"]]));
    expect(predicted.rows).toEqual([{ ticker: "B", cexRatesHourly: [0.1] }]);
    expect(predicted.rejected).toHaveLength(2);
  });

  it.each([
    ["says nothing of what is available", {}, null],
    ["says null", { tokenToAvailableAfterMaintenance: null }, null],
    ["names no token", { tokenToAvailableAfterMaintenance: [] }, null],
    [
      "names USDC",
      {
        tokenToAvailableAfterMaintenance: [
          [150, "3.0"],
          [0, "-7.5"],
        ],
      },
      -7.5,
    ],
    ["names other tokens only", { tokenToAvailableAfterMaintenance: [[150, "3.0"]] }, 0],
  ])("a spot account that %s", (_, fields, availableAfterMaintenanceUsd) => {
    const balances = [
      { coin: "USDC", token: 0, total: "-12.5", hold: "0.0", entryNtl: "0.0", ltv: "0.0", borrowed: "12.5" },
      // A side of an outcome market is no token.
      { coin: "+92260", total: "0.0", hold: "0.0", entryNtl: "0.0" },
    ];
    expect(valueOf(parseSpotAccount({ balances, ...fields }))).toEqual({
      isEmpty: false,
      availableAfterMaintenanceUsd,
    });
  });

  it("an account mode that is not known yet is unknown", () => {
    expect(valueOf(parseAccountMode("somethingNew"))).toBe("unknown");
    expect(valueOf(parseAccountMode("constructor"))).toBe("unknown");
    expect(["default", null].map((said) => valueOf(parseAccountMode(said)))).toEqual(["unset", "unset"]);
  });
});

describe("assembleWallet", () => {
  const wallet = walletAddressOf(`0x${"a".repeat(40)}`);
  if (wallet === undefined) throw new Error("no address");
  const position = (extra: object): unknown => ({
    type: "oneWay",
    position: {
      coin: "BTC",
      szi: "2.0",
      entryPx: "90.0",
      positionValue: "200.0",
      liquidationPx: null,
      marginUsed: "15.0",
      maxLeverage: 40,
      leverage: { type: "cross", value: 20 },
      ...extra,
    },
  });
  const perp = valueOf(
    parsePerpAccount({
      crossMarginSummary: { accountValue: "20.0", totalRawUsd: "-180.0" },
      crossMaintenanceMarginUsed: "2.5",
      assetPositions: [
        position({}),
        position({ coin: "ETH", leverage: { type: "isolated", value: 3, rawUsd: "-185" } }),
      ],
      time: 5,
    }),
  );
  const base = { wallet, perp, takerFeeFraction: null, arrivedAtMs: 9 };

  it("keeps the liquidation prices that the exchange reports, but of an account that contradicts itself", () => {
    const reported = {
      ...perp,
      positions: perp.positions.map((one) => ({ ...one, reportedLiquidationPrice: 70 })),
    };
    const pricesIn = (isConsistent: boolean) =>
      assembleWallet({
        ...base,
        perp: { ...reported, isConsistent },
        mode: "standard",
        spot: null,
      }).positions.map(({ reportedLiquidationPrice }) => reportedLiquidationPrice);

    expect(pricesIn(true)).toEqual([70, 70]);
    expect(pricesIn(false)).toEqual([null, null]);
  });

  const apart = { isEmpty: false, availableAfterMaintenanceUsd: null };
  const pooled = { isEmpty: false, availableAfterMaintenanceUsd: 900 };

  it("keeps a standard account's cash leg and ignores its spot balance", () => {
    expect(assembleWallet({ ...base, mode: "standard", spot: apart })).toMatchObject({
      mode: "standard",
      crossCashUsd: -180,
      isCollateralKnown: true,
      exchangeTimeMs: 5,
    });
  });

  it("takes a pooled account's equity from what is left of it after maintenance", () => {
    // equity = 900 + 2.5 maintenance; cash = equity - 200 signed notional
    expect(assembleWallet({ ...base, mode: "unified", spot: pooled })).toMatchObject({
      crossCashUsd: 702.5,
      isCollateralKnown: true,
    });
  });

  it("has a portfolio-margin account's equity meet its maintenance at 0.95 of what the exchange values it at", () => {
    const { crossCashUsd } = assembleWallet({ ...base, mode: "portfolio_margin", spot: pooled });

    // The exchange liquidates at a value of 2.5 / 0.95, a loss of 902.5 - 2.5 / 0.95.
    expect(crossCashUsd + 200 - (902.5 - 2.5 / 0.95)).toBeCloseTo(2.5, 9);
  });

  it("takes an account that pools its collateral for unified, whatever its mode was", () => {
    const expected = { mode: "unified", crossCashUsd: 702.5, isCollateralKnown: true };
    expect(assembleWallet({ ...base, mode: "standard", spot: pooled })).toMatchObject(expected);
    // A mode that is not known here may have other rules.
    expect(assembleWallet({ ...base, mode: "unknown", spot: pooled }).isCollateralKnown).toBe(false);
  });

  it("takes an account that never chose a mode for what its spot side shows", () => {
    const stateWith = (spot: typeof apart | typeof pooled | null) =>
      assembleWallet({ ...base, mode: "unset", spot });
    expect(stateWith(pooled)).toMatchObject({
      mode: "unified",
      crossCashUsd: 702.5,
      isCollateralKnown: true,
    });
    expect(stateWith(apart)).toMatchObject({ mode: "standard", crossCashUsd: -180, isCollateralKnown: true });
    expect(stateWith(null)).toMatchObject({ mode: "unknown", crossCashUsd: -180, isCollateralKnown: false });
  });

  it("does not know the collateral of an account that does not pool it, as its mode says", () => {
    for (const mode of ["unified", "portfolio_margin"] as const) {
      const expected = { mode, crossCashUsd: -180, isCollateralKnown: false };
      expect(assembleWallet({ ...base, mode, spot: apart })).toMatchObject(expected);
    }
  });

  it("takes the perpetual account for the collateral of one without anything in spot, whatever its mode", () => {
    const spot = { isEmpty: true, availableAfterMaintenanceUsd: null };
    for (const mode of ["standard", "unified", "portfolio_margin"] as const)
      expect(assembleWallet({ ...base, mode, spot })).toMatchObject({
        crossCashUsd: -180,
        isCollateralKnown: true,
      });
  });

  it("says so when a pooled account's spot side or an account's mode could not be read", () => {
    expect(assembleWallet({ ...base, mode: "unified", spot: null })).toMatchObject({
      crossCashUsd: -180,
      isCollateralKnown: false,
    });
    expect(assembleWallet({ ...base, mode: "unknown", spot: null }).isCollateralKnown).toBe(false);
  });
});

function valueOf<T>(parsed: Parsed<T>): T {
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
}
