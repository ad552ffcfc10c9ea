import { describe, expect, it } from "vitest";
import { effectiveLeverageOf } from "../../../src/risk/margin/liquidation.ts";
import { resolveTrade } from "../../../src/risk/trade/resolved-trade.ts";
import { position, proposedTrade, walletState } from "../../support/builders.ts";

const HELD = walletState(50_000, [position({ sizeBase: 0.5, leverage: 10 })]);
const resolved = (changes: Parameters<typeof proposedTrade>[0]) =>
  resolveTrade(proposedTrade(changes), HELD, 100_000);

describe("resolveTrade", () => {
  it("reads a close at the position's leverage, whatever is sent with it, and an opening at its own", () => {
    expect(resolved({ action: "close", leverage: 40 }).leverage).toBe(10);
    expect(resolved({ action: "long", leverage: 40 }).leverage).toBe(40);
    expect(resolved({ action: "long", leverage: undefined }).leverage).toBe(10);
  });

  it("calls a close of exactly the position no larger than it", () => {
    expect(resolved({ action: "close", notionalUsd: 50_000 })).toMatchObject({
      isOversized: false,
      notionalUsd: 50_000,
    });
    expect(resolved({ action: "close", notionalUsd: 50_001 })).toMatchObject({
      isOversized: true,
      notionalUsd: 50_000,
      marginUsd: 5_000,
    });
  });

  it("does not call a close of the USD that were opened oversized for their rounding to coins", () => {
    const markPrice = 861.49;
    const notionalUsd = 900;
    const opened = walletState(50_000, [position({ sizeBase: notionalUsd / markPrice })]);

    const close = resolveTrade(proposedTrade({ action: "close", notionalUsd }), opened, markPrice);

    expect((notionalUsd / markPrice) * markPrice).toBeLessThan(notionalUsd);
    expect(close.isOversized).toBe(false);
    expect(close.notionalUsd).toBeCloseTo(notionalUsd, 9);
  });

  it("reads a close as selling a long where nothing is held, and as buying where a short is", () => {
    const close = proposedTrade({ action: "close", notionalUsd: 1_000 });
    const short = walletState(50_000, [position({ sizeBase: -0.5 })]);

    expect(resolveTrade(close, walletState(), 100_000)).toMatchObject({
      direction: -1,
      exposureDirection: 1,
      isWithoutPosition: true,
      notionalUsd: 1_000,
    });
    expect(resolveTrade(close, short, 100_000)).toMatchObject({ direction: 1, exposureDirection: -1 });
    // An opening lacks nothing where nothing is held.
    expect(resolveTrade(proposedTrade(), walletState(), 100_000).isWithoutPosition).toBe(false);
  });
});

describe("effectiveLeverageOf", () => {
  it("stays at a thousand when next to no equity is left, as when none is", () => {
    expect([500_000, 2_000, 1_000, 1, 0, -5].map((equityUsd) => effectiveLeverageOf(1e6, equityUsd))).toEqual(
      [2, 500, 1_000, 1_000, 1_000, 1_000],
    );
    expect([1, 0, -5].map((equityUsd) => effectiveLeverageOf(0, equityUsd))).toEqual([0, 0, 0]);
  });
});
