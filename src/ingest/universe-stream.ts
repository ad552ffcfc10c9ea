import { defer, map, type Observable } from "rxjs";
import type { AssetListing, Universe } from "../domain/asset.ts";
import type { Ticker } from "../domain/ids.ts";
import type { MarketEvent } from "../domain/market-event.ts";
import type { WatchedAsset } from "../exchange/exchange.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { pollStream } from "./poll-stream.ts";

const UNIVERSE_POLL_MS = 60_000;

export type ListingEvent = Extract<
  MarketEvent,
  { type: "asset.listed" | "listing.changed" | "asset.delisted" }
>;
type UniverseEvent = ListingEvent | Extract<MarketEvent, { type: "context.updated" }>;

/**
 * Listings, changed listings and delistings, one list a poll, from the universe polled once a minute; the exchange is
 * told each time to watch whatever is live, as volumes decide who gets the fast book. An asset that two answers in a row
 * do not name is delisted. The context of one that was listed without is told as soon as it is read: of a delisted asset
 * nothing else brings a price, without which no exit of it is answered.
 */
export function universeStream(deps: IngestDeps): Observable<readonly UniverseEvent[]> {
  const { exchange } = deps;
  return defer(() => {
    const known = new Map<Ticker, AssetListing>();
    const volumesUsd = new Map<Ticker, number>();
    let missing: readonly AssetListing[] = [];
    // Without a list of assets no exit is answered.
    return pollStream("universe", () => exchange.fetchUniverse(), UNIVERSE_POLL_MS, deps, true).pipe(
      map((answer) => {
        const universe = withKnownTerms(known, answer);
        const events: UniverseEvent[] = [...universeChanges(known, universe)];
        const before = missing;
        missing = missingOf(known, universe);
        for (const listing of missing.filter((one) => before.includes(one))) {
          const delisted = { ...listing, isDelisted: true };
          known.set(listing.ticker, delisted);
          events.push({ type: "asset.delisted", ticker: listing.ticker, listing: delisted });
        }
        for (const { listing, context } of universe.assets) {
          const { ticker } = listing;
          const isFirstRead = context !== null && known.has(ticker) && !volumesUsd.has(ticker);
          if (isFirstRead) events.push({ type: "context.updated", ticker, context });
          known.set(ticker, listing);
          if (context !== null) volumesUsd.set(ticker, context.volume24hUsd);
        }
        exchange.watchAssets(liveAssets(known, volumesUsd));
        return events;
      }),
    );
  });
}

/** An answer whose margin terms of an asset cannot be read changes nothing about those known. */
function withKnownTerms(known: ReadonlyMap<Ticker, AssetListing>, universe: Universe): Universe {
  const assets = universe.assets.map((asset) => {
    const before = known.get(asset.listing.ticker);
    if (!asset.listing.isCloseOnly || before === undefined || before.isCloseOnly) return asset;
    const { maxLeverage, marginTiers } = before;
    return { ...asset, listing: { ...asset.listing, maxLeverage, marginTiers, isCloseOnly: false } };
  });
  return { ...universe, assets };
}

/** What the new universe says that the known listings do not; the most traded assets first. */
export function universeChanges(
  known: ReadonlyMap<Ticker, AssetListing>,
  { assets }: Universe,
): readonly ListingEvent[] {
  const mostTradedFirst = assets.toSorted(
    (a, b) => (b.context?.volume24hUsd ?? 0) - (a.context?.volume24hUsd ?? 0),
  );
  return mostTradedFirst.flatMap(({ listing, context }): ListingEvent[] => {
    const { ticker } = listing;
    const before = known.get(ticker);
    if (before === undefined || (before.isDelisted && !listing.isDelisted)) {
      return [{ type: "asset.listed", ticker, listing, context }];
    }
    if (!before.isDelisted && listing.isDelisted) return [{ type: "asset.delisted", ticker, listing }];
    return isSameListing(before, listing) ? [] : [{ type: "listing.changed", ticker, listing }];
  });
}

/** Those known as live that an answer does not name, as far as its rows could be read. */
function missingOf(known: ReadonlyMap<Ticker, AssetListing>, universe: Universe): readonly AssetListing[] {
  if (!universe.isWhole) return [];
  const named = new Set(universe.assets.map(({ listing }) => listing.ticker));
  return [...known.values()].filter(({ ticker, isDelisted }) => !isDelisted && !named.has(ticker));
}

/** Delisted ones leave; one whose row a poll could not read stays, with the rank that its last volume gave it. */
function liveAssets(
  known: ReadonlyMap<Ticker, AssetListing>,
  volumesUsd: ReadonlyMap<Ticker, number>,
): readonly WatchedAsset[] {
  return [...known.values()].flatMap(({ ticker, isDelisted }) =>
    isDelisted ? [] : [{ ticker, volume24hUsd: volumesUsd.get(ticker) ?? 0 }],
  );
}

function isSameListing(a: AssetListing, b: AssetListing): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
