import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Position } from "../../../src/domain/account.ts";
import {
  type AccountMargin,
  accountMarginOf,
  accountMarginWith,
  marginUsedFractionOf,
} from "../../../src/risk/margin/account-margin.ts";
import { between } from "../../support/arbitraries.ts";
import { ETH, position, walletState } from "../../support/builders.ts";
import { testViewOf } from "../../support/market.ts";
import { account } from "../../support/market-arbitraries.ts";

describe("accountMarginWith", () => {
  it("has every sum of the account that it stands for, whatever position went and whatever came", () => {
    fc.assert(
      fc.property(account, account, between(-1e6, 1e6), (held, other, paidUsd) => {
        const removed = held.positions[0] ?? null;
        const ticker = removed?.ticker ?? other.positions[0]?.ticker;
        if (ticker === undefined) return;
        const added = other.positions.find((one) => one.ticker === ticker) ?? null;
        const rest = held.positions.filter((one) => one !== removed && one.ticker !== ticker);
        const before = { ...held, positions: removed === null ? rest : [removed, ...rest] };
        const after = {
          ...held,
          crossCashUsd: held.crossCashUsd + paidUsd,
          positions: added === null ? rest : [...rest, added],
        };

        const changed = accountMarginWith(
          accountMarginOf(before, testViewOf),
          paidUsd,
          removed,
          added,
          testViewOf(ticker),
        );

        const whole = accountMarginOf(after, testViewOf);
        for (const name of Object.keys(whole) as (keyof AccountMargin)[]) {
          expect(Math.abs(changed[name] - whole[name]), name).toBeLessThan(1e-5);
        }
      }),
    );
  });
});

describe("marginUsedFractionOf", () => {
  const usedBy = (cashUsd: number, positions: readonly Position[]): number =>
    marginUsedFractionOf(
      accountMarginOf({ ...walletState(0, positions), crossCashUsd: cashUsd }, testViewOf),
    );

  it("is a share of the account's value, and all of it when the positions need more than there is", () => {
    fc.assert(
      fc.property(account, (held) => {
        const used = marginUsedFractionOf(accountMarginOf(held, testViewOf));

        expect(used).toBeGreaterThanOrEqual(0);
        expect(used).toBeLessThanOrEqual(1);
      }),
    );
    // 100 000 USD at 10x take 10 000, of an equity of 40 000 and of one of 4 000.
    expect(usedBy(-60_000, [position({ sizeBase: 1, leverage: 10 })])).toBeCloseTo(0.25, 12);
    expect(usedBy(-96_000, [position({ sizeBase: 1, leverage: 10 })])).toBe(1);
  });

  it("is not lessened by an isolated position that is worth less than nothing", () => {
    const cross = position({ sizeBase: 1, leverage: 10 });
    const lost = position({
      ticker: ETH,
      marginMode: "isolated",
      isolatedCashUsd: -0.1 * testViewOf(ETH)!.context.markPrice - 30_000,
    });

    // 10 000 used of an equity of 100 000, which the 30 000 lost beside it bring down to 70 000.
    expect(usedBy(0, [cross, lost])).toBeCloseTo(1 / 7, 12);
  });

  it("is nothing of an account that holds nothing, and all of one that has lost more than it had", () => {
    expect(usedBy(1_000, [])).toBe(0);
    expect(usedBy(0, [])).toBe(0);
    expect(usedBy(-1, [])).toBe(1);
    // What sums leave of an account that has used up all it had is neither a debt nor a margin.
    expect(usedBy(-1e-10, [])).toBe(0);
    expect(usedBy(0, [position({ sizeBase: 1e-15, leverage: 10 })])).toBe(0);
  });
});
