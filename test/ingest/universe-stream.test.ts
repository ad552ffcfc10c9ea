import { describe, expect, it } from "vitest";
import type { AssetListing } from "../../src/domain/asset.ts";
import { tickerOf } from "../../src/domain/ids.ts";
import { universeChanges } from "../../src/ingest/universe-stream.ts";
import { assetContext, assetListing, BTC, ETH } from "../support/builders.ts";

// Mutants killed by hand: a change not told, told of what did not change, or told as it was; a delisting told each time,
// or of an asset nobody knew; a listing that comes back not told; an asset of unknown volume listed first.

const LISTING = assetListing();
const DELISTED = assetListing({ isDelisted: true });

describe("universeChanges", () => {
  it.each<[string, AssetListing, AssetListing, string[]]>([
    ["nothing of a listing as it was", LISTING, assetListing(), []],
    ["a listing that changed", LISTING, assetListing({ maxLeverage: 20 }), ["listing.changed"]],
    ["a delisting", LISTING, DELISTED, ["asset.delisted"]],
    ["a delisting once", DELISTED, DELISTED, []],
    ["a listing that came back", DELISTED, LISTING, ["asset.listed"]],
  ])("say %s", (_, before, now, types) => {
    const context = assetContext();

    const changes = universeChanges(new Map([[BTC, before]]), {
      assets: [{ listing: now, context }],
      isWhole: true,
    });

    expect(changes.map(({ type }) => type)).toEqual(types);
    for (const { ticker, listing } of changes) expect([ticker, listing]).toEqual([BTC, now]);
  });

  it("list every asset that was not known, delisted ones too, the most traded first and those of no known volume last", () => {
    const assetOf = (ticker: string, volume24hUsd: number | null, isDelisted = false) => ({
      listing: assetListing({ ticker: tickerOf(ticker), isDelisted }),
      context: volume24hUsd === null ? null : assetContext({ volume24hUsd }),
    });
    const assets = [assetOf("NEW", null), assetOf("GONE", 5, true), assetOf("DOGE", 1), assetOf("ETH", 9)];

    const changes = universeChanges(new Map(), { assets, isWhole: true });

    expect(changes.map(({ type, ticker }) => `${type} ${ticker}`)).toEqual(
      [ETH, "GONE", "DOGE", "NEW"].map((ticker) => `asset.listed ${ticker}`),
    );
  });
});
