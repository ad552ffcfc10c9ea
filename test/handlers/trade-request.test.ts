import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeRequestError } from "../../src/domain/error-description.ts";
import { tickerOf } from "../../src/domain/ids.ts";
import type { AssetListing } from "../../src/domain/asset.ts";
import { parseTradeRequest } from "../../src/handlers/trade-request.ts";

const WALLET = "0x00000000000000000000000000000000000000Ab";
const LONG = { asset: "BTC", action: "long", size: 1000, wallet: WALLET };

describe("parseTradeRequest", () => {
  it("opens nothing whose margin terms are unknown, whatever the leverage, and closes it", () => {
    const opening = parseTradeRequest({ ...LONG, asset: "UNREAD", leverage: 20 }, listingOf);
    const closing = parseTradeRequest({ ...LONG, asset: "UNREAD", action: "close" }, listingOf);

    expect(opening).toMatchObject({ ok: false, error: { code: "market_unavailable", asset: "UNREAD" } });
    expect(closing).toMatchObject({ ok: true, value: { ticker: "UNREAD" } });
  });

  it("fills the defaults and lower-cases the wallet", () => {
    expect(parseTradeRequest(LONG, listingOf)).toEqual({
      ok: true,
      value: {
        ticker: "BTC",
        action: "long",
        notionalUsd: 1000,
        leverage: undefined,
        wallet: WALLET.toLowerCase(),
        marginMode: "cross",
        wantsMonteCarlo: false,
        wantsExplanation: false,
      },
    });
  });

  it.each(["long", "close"])(
    "takes an optional field of a %s that is null for one that is absent",
    (action) => {
      const nothing = { leverage: null, mode: null, monte_carlo: null, explain: null };
      const trade = { ...LONG, action };

      expect(parseTradeRequest({ ...trade, ...nothing }, listingOf)).toEqual(
        parseTradeRequest(trade, listingOf),
      );
    },
  );

  it.each([
    [{ ...LONG, asset: "NOPE" }, "invalid asset: NOPE"],
    [{ ...LONG, asset: "btc" }, "invalid asset: btc"],
    [{ ...LONG, wallet: "0x12" }, "invalid wallet address: 0x12"],
    [{ ...LONG, wallet: 12 }, "wallet must be of type string"],
    [{ ...LONG, wallet: WALLET.slice(2) + "00" }, `invalid wallet address: ${WALLET.slice(2)}00`],
    [{ ...LONG, size: 0 }, "size must be positive, got 0"],
    [{ ...LONG, size: -5.5 }, "size must be positive, got -5.5"],
    [{ ...LONG, size: 100_000_001 }, "size 100000001 exceeds maximum allowed 100000000"],
    [{ ...LONG, size: Infinity }, "size Infinity exceeds maximum allowed 100000000"],
    [Infinity, "body must be of type object"],
    [{ ...LONG, asset: Infinity }, "asset must be of type string"],
    [{ ...LONG, explain: -Infinity }, "explain must be of type boolean"],
    [{ ...LONG, leverage: Infinity }, "leverage must be a number that 64 bits can hold"],
    [{ ...LONG, leverage: 41 }, "leverage 41 exceeds maximum 40"],
    [{ ...LONG, leverage: 0 }, "leverage must be at least 1"],
    [{ ...LONG, asset: "DEAD" }, "asset DEAD is delisted and cannot be traded"],
    [{ ...LONG, asset: "ISO" }, "asset ISO only supports isolated margin mode"],
    [{ ...LONG, asset: "ISO", mode: "cross" }, "asset ISO only supports isolated margin mode"],
    [{ ...LONG, action: "buy" }, "action must be one of long, short, close"],
    [{ ...LONG, size: "1000" }, "size must be of type number"],
    [{ ...LONG, size: null }, "size must be of type number"],
    [{ ...LONG, leverage: "5" }, "leverage must be of type number"],
    [{ ...LONG, mode: "crossed" }, "mode must be one of cross, isolated"],
    [{ ...LONG, mode: 1 }, "mode must be of type string"],
    [{ ...LONG, leverage: null, leverge: 5 }, "unknown field leverge: did you mean leverage?"],
    [{ ...LONG, monte_carlo: 1 }, "monte_carlo must be of type boolean"],
    [{ asset: "BTC", action: "long", size: 1 }, "wallet must be present"],
    [{ ...LONG, leverge: 5 }, "unknown field leverge: did you mean leverage?"],
    [{ ...LONG, monteCarlo: true }, "unknown field monteCarlo: did you mean monte_carlo?"],
    [{ asset: "BTC", action: "long", szie: 5, wallet: WALLET }, "unknown field szie: did you mean size?"],
    [[LONG], "body must be of type object"],
    [null, "body must be of type object"],
    ["long BTC", "body must be of type object"],
  ])("%j -> %s", (body, detail) => {
    const result = parseTradeRequest(body, listingOf);

    expect(result.ok).toBe(false);
    if (!result.ok) {
      expect(describeRequestError(result.error)).toEqual({ error: "validation_error", detail });
    }
  });

  it("assesses a size too small to compute with as the smallest it can compute with", () => {
    expect(parseTradeRequest({ ...LONG, size: 1e-320 }, listingOf)).toMatchObject({
      ok: true,
      value: { notionalUsd: 1e-6 },
    });
    expect(parseTradeRequest({ ...LONG, size: 1e-6 }, listingOf)).toMatchObject({
      value: { notionalUsd: 1e-6 },
    });
  });

  it("ignores extra fields that are no near miss, and near misses of fields that are there", () => {
    const body = { ...LONG, leverage: 3, client_order_id: "x", Leverage: 7, note: null };

    expect(parseTradeRequest(body, listingOf)).toMatchObject({ ok: true, value: { leverage: 3 } });
  });

  it("takes the least and the greatest leverage there is", () => {
    for (const leverage of [1, 40]) {
      expect(parseTradeRequest({ ...LONG, leverage }, listingOf)).toMatchObject({
        ok: true,
        value: { leverage },
      });
    }
  });

  it("never refuses an exit for what only an opening must keep", () => {
    const reckless = { ...LONG, action: "close", leverage: 1e6, mode: "cross" };

    for (const asset of ["BTC", "ISO", "DEAD"]) {
      expect(parseTradeRequest({ ...reckless, asset }, listingOf)).toMatchObject({
        ok: true,
        value: { leverage: undefined },
      });
    }
  });

  it("never refuses an exit for how a field is written that means nothing to it", () => {
    const close = { ...LONG, action: "close" };
    const plain = parseTradeRequest(close, listingOf);
    expect(plain.ok).toBe(true);
    const strange = [
      { leverage: "5x" },
      { leverage: Infinity },
      { leverge: 5 },
      { mode: "hedged" },
      { mode: 1 },
    ];
    for (const extra of [...strange, { monteCarlo: 1 }, { monte_carlo: "yes", explain: [] }]) {
      expect(parseTradeRequest({ ...close, ...extra }, listingOf)).toEqual(plain);
      expect(parseTradeRequest({ ...LONG, ...extra }, listingOf).ok).toBe(false);
    }
    const explained = { ...close, leverage: "5x", monte_carlo: true, explain: true };
    expect(parseTradeRequest(explained, listingOf)).toMatchObject({
      value: { wantsMonteCarlo: true, wantsExplanation: true, leverage: undefined },
    });
  });

  it.each([
    [{ size: "100" }, "size must be of type number"],
    [{ size: -1 }, "size must be positive, got -1"],
    [{ wallet: "0x12" }, "invalid wallet address: 0x12"],
    [{ asset: undefined }, "asset must be present"],
    [{ asset: undefined, aset: "BTC" }, "unknown field aset: did you mean asset?"],
  ])("names what an exit consists of where that is at fault, whatever else is: %j", (fault, detail) => {
    const body = { ...LONG, action: "close", leverage: "5x", ...fault };
    const result = parseTradeRequest(body, listingOf);
    expect(!result.ok && describeRequestError(result.error).detail).toBe(detail);
  });

  it("gives a trade or a named error for any JSON", () => {
    const nearly = fc.record(
      {
        asset: fc.oneof(fc.constantFrom("BTC", "ISO", "DEAD"), fc.jsonValue()),
        action: fc.oneof(fc.constantFrom("long", "short", "close"), fc.jsonValue()),
        size: fc.oneof(fc.double(), fc.jsonValue()),
        wallet: fc.oneof(fc.constant(WALLET), fc.jsonValue()),
        leverage: fc.oneof(fc.double(), fc.jsonValue()),
        mode: fc.oneof(fc.constantFrom("cross", "isolated"), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(nearly, fc.jsonValue()), (body) => {
        const result = parseTradeRequest(body, listingOf);
        if (result.ok) {
          expect(result.value.notionalUsd).toBeGreaterThan(0);
          expect(result.value.notionalUsd).toBeLessThanOrEqual(100_000_000);
        } else {
          expect(describeRequestError(result.error).error).toBe("validation_error");
        }
      }),
    );
  });
});

const LISTINGS: Readonly<Record<string, AssetListing>> = {
  BTC: listing("BTC", {}),
  ISO: listing("ISO", { isIsolatedOnly: true }),
  DEAD: listing("DEAD", { isDelisted: true }),
  UNREAD: listing("UNREAD", { isCloseOnly: true, maxLeverage: 3 }),
};

function listingOf(asset: string): AssetListing | undefined {
  return Object.hasOwn(LISTINGS, asset) ? LISTINGS[asset] : undefined;
}

function listing(name: string, special: Partial<AssetListing>): AssetListing {
  return {
    ticker: tickerOf(name),
    assetIndex: 0,
    maxLeverage: 40,
    isDelisted: false,
    isCloseOnly: false,
    isIsolatedOnly: false,
    marginTiers: [{ notionalLowerUsd: 0, maxLeverage: 40 }],
    ...special,
  };
}
