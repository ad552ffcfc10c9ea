import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
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
  parseExchangeStatus,
  parseTickersAtCap,
  parseUniverse,
} from "../../../src/exchange/hyperliquid/parse-universe.ts";

// Mutants tried: Number() without the decimal pattern ("" gives 0, "0x10" gives 16); `found ?? 0` for a missing field;
// the ascending check of asks dropped; `>` for `>=` in the crossed check. Each fails below or in parse.test.ts.

const PARSERS: readonly [name: string, parse: (value: unknown) => Parsed<unknown>][] = [
  ["parseUniverse", (value) => parseUniverse(value, 1)],
  ["parseContext", (value) => parseContext(value, 1)],
  ["parseTickersAtCap", parseTickersAtCap],
  ["parseExchangeStatus", parseExchangeStatus],
  ["parseBook", (value) => parseBook(value, "slow", 1)],
  ["parseTouch", (value) => parseTouch(value, 1)],
  ["parseBar", parseBar],
  ["parseBars", parseBars],
  ["parseFundingHistory", parseFundingHistory],
  ["parsePredictedFundings", parsePredictedFundings],
  ["parsePerpAccount", parsePerpAccount],
  ["parseSpotAccount", parseSpotAccount],
  ["parseAccountMode", parseAccountMode],
  ["parseTakerFeeFraction", parseTakerFeeFraction],
];

/** Texts that Number() would take for a number, or that a careless parser would take for none. */
const odd = fc.constantFrom(
  "",
  " ",
  "NaN",
  "Infinity",
  "-1",
  "0",
  "0x10",
  "1e400",
  "1,5",
  "12.5",
  "null",
  "__proto__",
);
const leaf = fc.oneof(odd, fc.constant(null), fc.double(), fc.boolean(), fc.string());

const level = fc.record({ px: fc.oneof(odd, fc.integer().map(String)), sz: fc.oneof(odd, leaf), n: leaf });
/** JSON of the right shape with wrong insides reaches deeper than JSON of any shape. */
const shaped: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  leaf,
  fc.record({ coin: leaf, time: leaf, levels: fc.array(fc.array(level), { maxLength: 3 }) }),
  fc.record({ coin: leaf, time: leaf, bbo: fc.array(fc.option(level), { maxLength: 3 }) }),
  fc.record({
    universe: fc.array(fc.record({ name: leaf, marginTableId: leaf }), { maxLength: 3 }),
    marginTables: leaf,
  }),
  fc.array(fc.record({ t: leaf, o: odd, h: odd, l: odd, c: odd, v: odd }), { maxLength: 3 }),
  fc.array(fc.record({ time: fc.nat(), fundingRate: odd, premium: odd }), { maxLength: 3 }),
  fc.array(
    fc.tuple(leaf, fc.array(fc.tuple(leaf, fc.record({ fundingRate: odd, fundingIntervalHours: leaf })))),
  ),
  fc.record({
    crossMarginSummary: fc.record({ accountValue: odd, totalRawUsd: odd }),
    assetPositions: fc.array(leaf),
  }),
);

const USER = "0x5a1f0c3e9b7d42688e10f4d2c6b9a7e301d4c8f2";
/** What each channel carries where nothing is wrong with it. */
const RIGHT_FRAMES: ReadonlyMap<string, unknown> = new Map(
  Object.entries({
    l2Book: {
      coin: "BTC",
      time: 1,
      levels: [[{ px: "86010.0", sz: "1.65", n: 2 }], [{ px: "86011.0", sz: "2.1", n: 1 }]],
    },
    bbo: {
      coin: "BTC",
      time: 1,
      bbo: [
        { px: "86010.0", sz: "1.65", n: 1 },
        { px: "86011.0", sz: "2.1", n: 1 },
      ],
    },
    activeAssetCtx: {
      coin: "BTC",
      ctx: {
        funding: "0.000005",
        openInterest: "36412.5",
        prevDayPx: "85231.0",
        dayNtlVlm: "3984120557.2",
        premium: "-0.0004",
        oraclePx: "86050.0",
        markPx: "86012.0",
        midPx: "86010.5",
        impactPxs: ["86010.0", "86011.0"],
      },
    },
    candle: { s: "BTC", i: "1h", t: 3_600_000, T: 7_199_999, o: "1", h: "9", l: "1", c: "2", v: "3", n: 4 },
    clearinghouseState: {
      dex: "",
      user: USER,
      clearinghouseState: {
        crossMarginSummary: { accountValue: "19801.2", totalRawUsd: "-23199.8" },
        crossMaintenanceMarginUsed: "537.5",
        assetPositions: [
          {
            type: "oneWay",
            position: {
              coin: "BTC",
              szi: "0.5",
              leverage: { type: "cross", value: 20 },
              entryPx: "84250.0",
              positionValue: "43001.0",
              unrealizedPnl: "876.0",
              liquidationPx: "47491.4",
              marginUsed: "2150.3",
            },
          },
        ],
        time: 1,
      },
    },
    spotState: {
      user: USER,
      spotState: {
        balances: [{ coin: "USDC", token: 0, total: "25114.3", hold: "6812.4", entryNtl: "0.0" }],
        tokenToAvailableAfterMaintenance: [[0, "18301.9"]],
      },
    },
  }),
);

/** The same JSON with another value in the place of one of its texts and numbers. */
function withLeaf(json: unknown, at: number, value: unknown): unknown {
  let leaves = 0;
  const visited = (place: (leaf: number) => boolean): unknown =>
    JSON.parse(JSON.stringify(json), (_key, inner: unknown) =>
      typeof inner !== "object" && place(leaves++) ? value : inner,
    );
  visited(() => false);
  const count = leaves;
  leaves = 0;
  return visited((leaf) => leaf === at % count);
}

describe.each(PARSERS)("%s", (_name, parse) => {
  it("gives a value without NaN or an error, for any JSON, and never throws", () => {
    fc.assert(
      fc.property(shaped, (json) => {
        const parsed = parse(json);
        if (parsed.ok) expect(holdsOnlyNumbers(parsed.value)).toBe(true);
        else expect(parsed.error.path).not.toBe("");
      }),
    );
  });
});

describe("parseFrame", () => {
  it("never throws, whatever the text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(() => parseFrame(text, 1)).not.toThrow();
      }),
    );
  });

  it("never throws, whatever the channel is called", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (channel) => {
        expect(parseFrame(JSON.stringify({ channel }), 1).ok).toBe(true);
      }),
      // JSON can name what would make it a text.
      { examples: [[{ toString: 1 }], [[{ toString: null }]]] },
    );
  });

  it("never throws, whatever a known channel carries", () => {
    fc.assert(
      fc.property(fc.constantFrom(...RIGHT_FRAMES.keys()), shaped, (channel, data) => {
        expect(() => parseFrame(JSON.stringify({ channel, data }), 1)).not.toThrow();
      }),
    );
  });

  it.each([...RIGHT_FRAMES])(
    "gives no number that is none, whatever one value of a right %s is",
    (channel, right) => {
      const parsedWith = (data: unknown) => parseFrame(JSON.stringify({ channel, data }), 1);

      expect(parsedWith(right).ok).toBe(true);
      fc.assert(
        fc.property(fc.nat(), leaf, (at, value) => {
          const parsed = parsedWith(withLeaf(right, at, value));
          if (parsed.ok) expect(holdsOnlyNumbers(parsed.value)).toBe(true);
          else expect(parsed.error.path).not.toBe("");
        }),
      );
    },
  );
});

describe("a parsed book", () => {
  it("is sorted, positive and uncrossed, and equals the levels sent", () => {
    const steps = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(steps, steps, fc.integer({ min: 2000, max: 90_000 }), (down, up, mid) => {
        const bids = ladder(mid, down, -1);
        const asks = ladder(mid, up, 1);
        const parsed = parseBook({ coin: "X", time: 1, levels: [bids, asks].map(wire) }, "slow", 1);

        expect(parsed.ok && parsed.value !== null).toBe(true);
        if (!parsed.ok || parsed.value === null) return;
        expect([...parsed.value.bids.prices]).toEqual(bids);
        expect([...parsed.value.asks.prices]).toEqual(asks);
      }),
    );
  });

  it("is an error when two neighbours are exchanged or the sides are", () => {
    const steps = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 2, maxLength: 20 });
    fc.assert(
      fc.property(steps, steps, fc.boolean(), (down, up, swapsSides) => {
        const bids = ladder(5000, down, -1);
        const asks = ladder(5000, up, 1);
        const [first = 0, second = 0, ...rest] = asks;
        const levels = swapsSides ? [asks, bids] : [bids, [second, first, ...rest]];
        expect(parseBook({ coin: "X", time: 1, levels: levels.map(wire) }, "slow", 1).ok).toBe(false);
      }),
    );
  });
});

function ladder(mid: number, steps: readonly number[], direction: 1 | -1): number[] {
  let price = mid;
  return steps.map((step) => (price += direction * step));
}

function wire(prices: readonly number[]): unknown[] {
  return prices.map((price) => ({ px: `${String(price)}.0`, sz: "1.5", n: 1 }));
}

function holdsOnlyNumbers(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (value instanceof Float64Array) return value.every(Number.isFinite);
  if (value instanceof Set) return true;
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every(holdsOnlyNumbers);
}
