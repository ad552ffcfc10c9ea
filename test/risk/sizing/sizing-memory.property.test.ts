import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assess, type AssessInput } from "../../../src/risk/assess.ts";
import type { AssetView } from "../../../src/risk/asset-view.ts";
import { createSizingMemory } from "../../../src/risk/sizing/sizing-memory.ts";
import { magnitude, nullable } from "../../support/arbitraries.ts";
import { BTC, position, walletState } from "../../support/builders.ts";
import { assessInput, assetView } from "../../support/market.ts";
import {
  account,
  freshAccount,
  marginMode,
  marketShape,
  missingParts,
  viewOfShape,
} from "../../support/market-arbitraries.ts";

/**
 * Mutants tried by hand, each killed here: the asset, the account, the side, the leverage, the margin mode or one of the
 * two flags of age left out of what is compared; an account's other positions not looked at; the sizing of another
 * place given; nothing kept; a full memory that grows, or that replaces the newest.
 */
interface Ask {
  readonly asset: number;
  readonly account: number;
  readonly trade: Pick<AssessInput["trade"], "action" | "notionalUsd" | "leverage" | "marginMode">;
  readonly isMarketStale: boolean;
  readonly isWalletStale: boolean;
}

const asks: fc.Arbitrary<readonly Ask[]> = fc.array(
  fc.record({
    asset: fc.nat({ max: 2 }),
    account: fc.nat({ max: 3 }),
    trade: fc.record({
      action: fc.constantFrom("long", "short", "close"),
      notionalUsd: magnitude(1, 1e7),
      leverage: fc.constantFrom(undefined, 5, 20),
      marginMode,
    }),
    isMarketStale: fc.boolean(),
    isWalletStale: fc.boolean(),
  }),
  { minLength: 2, maxLength: 60, size: "max" },
);
/** Two in which most sizes are safe, whose sides differ, and any. */
const assets = fc
  .tuple(magnitude(0.3, 3), marketShape, fc.oneof(fc.constant<(keyof AssetView)[]>([]), missingParts))
  .map(([scale, shape, missing]) => {
    const calm = assetView();
    const { book, openInterest, context } = calm;
    return [
      calm,
      { ...viewOfShape({ ...shape, volatilityScale: scale }), book, openInterest, context },
      viewOfShape(shape, missing),
    ];
  });
const own = position({ ticker: BTC, marginMode: "isolated", sizeBase: 0.01, leverage: 5 });
const accounts = fc
  .tuple(freshAccount, magnitude(1e3, 1e5), nullable(account))
  .map(([fresh, equityUsd, any]) => [fresh, walletState(equityUsd), walletState(equityUsd, [own]), any]);

describe("sizings that are kept", () => {
  it("are those that would be found, whatever was asked before", () => {
    fc.assert(
      fc.property(asks, assets, accounts, (asked, views, wallets) => {
        const sizings = createSizingMemory();
        for (const { asset, account: held, trade, ...ages } of asked) {
          const input = assessInput({ ...ages, asset: views[asset]!, account: wallets[held]! });
          const proposed = { ...input, trade: { ...input.trade, ...trade } };

          expect(assess({ ...proposed, sizings }).sizing).toEqual(assess(proposed).sizing);
        }
      }),
      { numRuns: 400 },
    );
  });

  it("are looked up for another size of the same order, and for no other order", () => {
    const sizings = createSizingMemory();
    const [asset, wallet] = [assetView(), walletState(10_000)];
    const sizingOf = (changes: Partial<AssessInput>, trade: Partial<AssessInput["trade"]>) => {
      const input = assessInput({ asset, account: wallet, sizings, ...changes });
      return assess({ ...input, trade: { ...input.trade, ...trade } }).sizing;
    };
    const first = sizingOf({}, { notionalUsd: 100 });

    expect(sizingOf({}, { notionalUsd: 5_000 })).toBe(first);
    expect(sizingOf({}, { leverage: 7 })).not.toBe(first);
    expect(sizingOf({}, { notionalUsd: 200 })).toBe(first);
    const moved = { ...asset };
    expect(sizingOf({ asset: moved }, {})).not.toBe(first);
    expect(sizingOf({}, { notionalUsd: 100 })).not.toBe(first);
  });

  it("are not looked up for an account that holds another asset", () => {
    const sizings = createSizingMemory();
    const own = walletState(10_000, [position({ ticker: BTC })]);
    const input = assessInput({ account: own, sizings });

    expect(assess(input).sizing).toBe(assess(input).sizing);
    const both = walletState(10_000, [position({ ticker: BTC }), position({ ticker: "ETH" as typeof BTC })]);
    const beside = assessInput({ account: both, sizings });
    expect(assess(beside).sizing).not.toBe(assess(beside).sizing);
  });

  it("are kept of the eight orders of an asset that were asked about last", () => {
    const sizings = createSizingMemory();
    const input = assessInput({ account: walletState(10_000), sizings });
    const at = (leverage: number) => assess({ ...input, trade: { ...input.trade, leverage } }).sizing;
    const found = Array.from({ length: 9 }, (_, i) => at(i + 1));

    for (let leverage = 9; leverage > 1; leverage--) expect(at(leverage)).toBe(found[leverage - 1]);
    expect(at(1)).not.toBe(found[0]);
    expect(at(1)).toEqual(found[0]);
  });
});
