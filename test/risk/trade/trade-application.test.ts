import { describe, expect, it } from "vitest";
import type { WalletState } from "../../../src/domain/account.ts";
import type { Ticker } from "../../../src/domain/ids.ts";
import { marginUsedFractionOf, type MarginView } from "../../../src/risk/margin/account-margin.ts";
import { buildMarginSchedule } from "../../../src/risk/margin/margin.ts";
import { sizeAfter } from "../../../src/risk/trade/trade-application.ts";
import { BTC, ETH, position, proposedTrade, walletState } from "../../support/builders.ts";
import { appliedTrade, bookedUsd, type FilledTrade, liquidationAt } from "../../support/trade-setting.ts";

const FORTY = buildMarginSchedule([{ notionalLowerUsd: 0, maxLeverage: 40 }]);
const viewOf = (ticker: Ticker): MarginView | undefined =>
  ticker === BTC ? { context: { markPrice: 100_000 }, marginSchedule: FORTY } : undefined;

const ORDER = {
  ...proposedTrade({ leverage: 10 }),
  markPrice: 100_000,
  fillPrice: 100_000,
  takerFeeFraction: 0,
};
const apply = (account: WalletState, changes: Partial<FilledTrade> = {}) =>
  appliedTrade(account, { ...ORDER, ...changes }, viewOf);

describe("applyTrade", () => {
  it("opens a cross position against the account's cash, fee and slippage paid", () => {
    const after = apply(walletState(50_000), { fillPrice: 100_100, takerFeeFraction: 0.00045 });

    expect(after.position).toMatchObject({
      sizeBase: 0.1,
      entryPrice: 100_100,
      leverage: 10,
      marginMode: "cross",
    });
    expect(after.account.crossCashUsd).toBeCloseTo(50_000 - 10_010 - 4.5, 8);
    expect(after.margin.accountValueUsd).toBeCloseTo(50_000 - 10 - 4.5, 8);
    expect(after.margin.crossInitialUsd).toBeCloseTo(1000, 8);
    expect(after).toMatchObject({ assumedDepositUsd: 0, openedBase: 0.1, closedBase: 0 });
  });

  it("leaves nothing of a position that only rounding keeps from being closed, and no stale report of another", () => {
    const held = position({ sizeBase: 0.1 + 0.2, reportedLiquidationPrice: 70_000 });

    expect(sizeAfter(0.1 + 0.2, -0.3)).toBe(0);
    const reduced = apply(walletState(50_000, [held]), { action: "short" });
    expect(reduced.position).toMatchObject({ reportedLiquidationPrice: null });
    const closed = apply(walletState(50_000, [held]), { action: "short", notionalUsd: 30_000 });
    expect(closed.account.positions).toEqual([]);
  });

  it("opens nothing where only rounding carries the order beyond the position", () => {
    const account = walletState(50_000, [position({ sizeBase: 0.1 })]);
    const closed = apply(account, { action: "short", notionalUsd: 10_000 * (1 + 1e-12) });

    expect(closed).toMatchObject({ position: null, openedBase: 0, closedBase: 0.1, assumedDepositUsd: 0 });
  });

  it("posts an isolated position's margin out of the cross cash", () => {
    const after = apply(walletState(5000), { marginMode: "isolated", action: "short" });

    expect(after.position).toMatchObject({ sizeBase: -0.1, isolatedCashUsd: 11_000 });
    expect(after.account.crossCashUsd).toBeCloseTo(4000, 8);
    expect(after.margin).toMatchObject({
      isolatedEquityUsd: 1000,
      crossEquityUsd: 4000,
      accountValueUsd: 5000,
    });
    expect(marginUsedFractionOf(after.margin)).toBeCloseTo(0.2, 12);
  });

  it("assesses an empty wallet as if it had posted the margin: all of it is used", () => {
    for (const marginMode of ["cross", "isolated"] as const) {
      const after = apply(walletState(0), { marginMode, takerFeeFraction: 0.00045 });

      expect(after.assumedDepositUsd).toBeCloseTo(1004.5, 8);
      expect(after.margin.accountValueUsd).toBeCloseTo(1000, 8);
      expect(marginUsedFractionOf(after.margin)).toBeCloseTo(1, 12);
      expect(liquidationAt(after.account, BTC, viewOf).liquidationPrice).toBeCloseTo(90_000 / 0.9875, 6);
    }
  });

  it("lends nothing to an account that is under water for other reasons", () => {
    // 1 BTC at 5x needs 20,000 and holds 15,000: 5000 short before the trade.
    const account = walletState(15_000, [position({ sizeBase: 1 })]);
    const after = apply(account, {
      ticker: ETH,
      markPrice: 3000,
      fillPrice: 3000,
      notionalUsd: 3000,
      leverage: 3,
    });

    expect(after.assumedDepositUsd).toBeCloseTo(1000, 8);
    expect(after.margin.freeMarginUsd).toBeCloseTo(-5000, 8);
  });

  it("adds at the average price and takes the new leverage for all of it", () => {
    const account = walletState(50_000, [position({ sizeBase: 0.1, entryPrice: 90_000, leverage: 5 })]);
    const after = apply(account);

    expect(after.position).toMatchObject({ sizeBase: 0.2, entryPrice: 95_000, leverage: 10 });
    expect(after.account.positions).toHaveLength(1);
  });

  it("realises the closed part of an opposite trade and keeps entry and leverage of the rest", () => {
    const account = walletState(50_000, [position({ sizeBase: 0.4, entryPrice: 90_000, leverage: 5 })]);
    const after = apply(account, { action: "short" });

    expect(after.position).toMatchObject({ entryPrice: 90_000, leverage: 5 });
    expect(after.position?.sizeBase).toBeCloseTo(0.3, 12);
    expect(bookedUsd(after.account) - bookedUsd(account)).toBeCloseTo(1000, 8);
    expect(after).toMatchObject({ openedBase: 0, assumedDepositUsd: 0 });
  });

  it("flips through zero: closes all, then opens the rest at the fill", () => {
    const account = walletState(50_000, [position({ sizeBase: 0.04, entryPrice: 90_000, leverage: 5 })]);
    const after = apply(account, { action: "short", leverage: 20 });

    expect(after.position).toMatchObject({ entryPrice: 100_000, leverage: 20 });
    expect(after.position?.sizeBase).toBeCloseTo(-0.06, 12);
    expect(after.closedBase).toBeCloseTo(0.04, 12);
    expect(after.openedBase).toBeCloseTo(0.06, 12);
    expect(bookedUsd(after.account) - bookedUsd(account)).toBeCloseTo(400, 8);
    expect(after.margin.crossInitialUsd).toBeCloseTo(300, 8);
  });

  it("closes no more than there is", () => {
    const account = walletState(50_000, [position({ sizeBase: -0.04 })]);
    const after = apply(account, { action: "close", leverage: undefined });

    expect(after).toMatchObject({ position: null, tradedBase: 0.04 });
    expect(after.account.positions).toHaveLength(0);
    expect(after.margin.accountValueUsd).toBeCloseTo(50_000, 8);
  });

  it("lends nothing for a close, whatever the close costs", () => {
    const account = walletState(2500, [position({ sizeBase: 1, leverage: 40 })]);
    const after = apply(account, { action: "close", notionalUsd: 50_000, fillPrice: 95_000 });

    expect(after.assumedDepositUsd).toBe(0);
    expect(after.margin.freeMarginUsd).toBeCloseTo(-1250, 8);
  });

  it("returns a closed isolated position's margin and profit to the cross cash", () => {
    const isolated = position({
      sizeBase: 0.2,
      entryPrice: 90_000,
      marginMode: "isolated",
      leverage: 10,
      isolatedCashUsd: 0.2 * -90_000 + 1800,
    });
    const half = apply(walletState(0, [isolated]), { action: "close" });

    expect(half.position?.isolatedCashUsd).toBeCloseTo(0.1 * -90_000 + 900, 8);
    expect(half.account.crossCashUsd).toBeCloseTo(900 + 1000, 8);
    const flat = apply(half.account, { action: "close" });
    expect(flat.position).toBeNull();
    expect(flat.account.crossCashUsd).toBeCloseTo(1800 + 2000, 8);
  });

  it("leaves the account alone when there is nothing to close", () => {
    const account = walletState(50_000);
    const after = apply(account, { action: "close" });

    expect(after.account).toBe(account);
    expect(after).toMatchObject({ tradedBase: 0, position: null });
  });

  it("keeps an open position's margin mode, as the exchange does", () => {
    const after = apply(walletState(50_000, [position({ sizeBase: 0.1 })]), { marginMode: "isolated" });

    expect(after.position).toMatchObject({ marginMode: "cross", isolatedCashUsd: null });
  });

  it("uses the position's leverage when none is asked for, else 1", () => {
    const held = walletState(50_000, [position({ leverage: 7 })]);

    expect(apply(walletState(50_000), { leverage: undefined }).position?.leverage).toBe(1);
    expect(apply(held, { leverage: undefined }).position?.leverage).toBe(7);
  });
});
