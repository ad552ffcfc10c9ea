import { describe, expect, it } from "vitest";
import { LiquidationEngine } from "../../src/simulator/liquidation-engine.ts";
import type { LiveAsset } from "../../src/simulator/live-asset.ts";
import { type AccountPosition, WalletAccount } from "../../src/simulator/wallet-account.ts";
import { type WalletEvent, WalletJournal } from "../../src/simulator/wallet-journal.ts";

// Prices of 100, and 5x tables without tiers: maintenance is a tenth of the notional, the backstop's bound a fifteenth.
const MARK = 100;
const [BID, DEEPER_BID, ASK] = [99, 98, 101];
const ADDRESS = "0x00000000000000000000000000000000000000aa";

interface Held {
  readonly coin: string;
  readonly size: number;
  /** Present when isolated: the position's own cash. */
  readonly isolatedRawUsd?: number;
  readonly bidSize?: number;
}

class Scene {
  readonly account: WalletAccount;
  readonly #engine = new LiquidationEngine();
  readonly #journal = new WalletJournal();

  constructor(crossRawUsd: number, held: readonly Held[]) {
    const plan = { address: ADDRESS, label: "", demonstrates: "", abstraction: "disabled" } as const;
    this.account = new WalletAccount({ ...plan, cashUsd: 0, positions: [] });
    this.account.crossRawUsd = crossRawUsd;
    for (const one of held) this.account.positions.set(one.coin, positionOf(one));
  }

  check(timeMs = 0): readonly WalletEvent[] {
    const from = this.#journal.end;
    this.#engine.check(this.account, this.#journal, timeMs);
    return this.#journal.since(from);
  }

  get sizes(): Record<string, number> {
    return Object.fromEntries(
      [...this.account.positions].map(([coin, { sizeSigned }]) => [coin, sizeSigned]),
    );
  }
}

function positionOf({ coin, size, isolatedRawUsd, bidSize = 1e9 }: Held): AccountPosition {
  const asset = {
    spec: { coin, szDecimals: 2, marginTableId: 5 },
    markPrice: MARK,
    book: {
      bids: { prices: [BID, DEEPER_BID], sizes: [bidSize, bidSize], orderCounts: [1, 1] },
      asks: { prices: [ASK], sizes: [1e9], orderCounts: [1] },
    },
  } as unknown as LiveAsset;
  return {
    asset,
    leverage: 5,
    isIsolated: isolatedRawUsd !== undefined,
    sizeSigned: size,
    entryPrice: 110,
    isolatedRawUsd: isolatedRawUsd ?? 0,
    fundingPaidUsd: 0,
    openedMs: 0,
  };
}

const fillsOf = (events: readonly WalletEvent[]) =>
  events.flatMap((event) =>
    event.kind === "fill"
      ? [
          {
            coin: event.fill.coin,
            sz: event.fill.sz,
            px: event.fill.px,
            dir: event.fill.dir,
            method: event.fill.liquidation!.method,
          },
        ]
      : [],
  );

/** Cash that leaves a long of this size so much equity as a share of its notional. */
const rawAt = (size: number, share: number): number => size * MARK * (share - 1);

describe("a liquidation", () => {
  it("waits until equity is below maintenance, of cross and of isolated positions", () => {
    const cross = new Scene(rawAt(100, 0.1), [{ coin: "A", size: 100 }]);
    const isolated = new Scene(0, [{ coin: "A", size: 100, isolatedRawUsd: rawAt(100, 0.1) }]);

    for (const scene of [cross, isolated]) {
      expect(scene.check()).toEqual([]);
      expect(scene.account.liquidatedMs).toBeUndefined();
    }
  });

  it("sells a long into the bids, leaves the owner the rest and tells first what was liquidated", () => {
    const scene = new Scene(rawAt(100, 0.09), [{ coin: "A", size: 100, bidSize: 50 }]);

    const events = scene.check(7);

    expect(events[0]).toMatchObject({
      kind: "liquidation",
      liquidation: {
        liquidated_user: ADDRESS,
        liquidated_ntl_pos: "10000.0",
        liquidated_account_value: "900.0",
      },
    });
    expect(fillsOf(events)).toEqual([
      { coin: "A", sz: "100.0", px: "98.5", dir: "Close Long", method: "market" },
    ]);
    expect(events[1]).toMatchObject({ fill: { side: "A", fee: "0.0", time: 7, closedPnl: "-1150.0" } });
    expect(scene.sizes).toEqual({});
    expect(scene.account.crossRawUsd).toBeCloseTo(rawAt(100, 0.09) + 9850, 9);
    expect(scene.account.liquidatedMs).toBe(7);
  });

  it("buys a short back from the asks", () => {
    const scene = new Scene(10_900, [{ coin: "A", size: -100 }]);

    expect(fillsOf(scene.check())).toEqual([
      { coin: "A", sz: "100.0", px: "101.0", dir: "Close Short", method: "market" },
    ]);
    expect(scene.account.crossRawUsd).toBeCloseTo(800, 9);
  });

  it("takes a fifth of a position above 100,000 USD, and within 30 s of that all that is left", () => {
    const at = new Scene(rawAt(1000, 0.09), [{ coin: "A", size: 1000 }]);
    const above = new Scene(rawAt(1000.1, 0.08), [{ coin: "A", size: 1000.1 }]);
    const later = new Scene(rawAt(2000, 0.08), [{ coin: "A", size: 2000 }]);

    at.check();
    above.check();
    later.check(0);
    expect([at.sizes, above.sizes, later.sizes]).toEqual([{}, { A: 800.08 }, { A: 1600 }]);
    above.check(29_999);
    later.check(30_000);
    expect([above.sizes, later.sizes]).toEqual([{}, { A: 1280 }]);
  });

  it("begins the same 30 s with an order that the book had not enough for", () => {
    const scene = new Scene(rawAt(900, 0.09), [{ coin: "A", size: 900, bidSize: 100 }]);

    scene.check();
    expect(scene.sizes).toEqual({ A: 700 });
    expect(scene.account.cooldownUntilMs).toBe(30_000);
  });

  it("closes the largest position first, and spares the others once the account is healthy", () => {
    const scene = new Scene(rawAt(1000, 0.09), [
      { coin: "SMALL", size: 100 },
      { coin: "LARGE", size: 900 },
    ]);

    expect(fillsOf(scene.check()).map(({ coin }) => coin)).toEqual(["LARGE"]);
  });

  it("closes one position after the other while the account is not", () => {
    // Ten positions of 10,000 USD, each of which costs a hundredth to close.
    const held = Array.from({ length: 10 }, (_, i) => ({ coin: `C${String(i)}`, size: 100 }));
    const scene = new Scene(rawAt(1000, 0.09), held);

    expect(fillsOf(scene.check()).length).toBe(2);
    expect(scene.account.crossMargin.accountValueUsd).toBeGreaterThanOrEqual(
      scene.account.crossMargin.maintenanceUsd,
    );
  });

  it("has the liquidator take all cross positions and their margin below two thirds of maintenance", () => {
    const scene = new Scene(rawAt(200, 0.066), [
      { coin: "A", size: 150 },
      { coin: "B", size: 50 },
      { coin: "OWN", size: 10, isolatedRawUsd: rawAt(10, 0.2) },
    ]);

    const fills = fillsOf(scene.check());

    expect(fills).toEqual([
      { coin: "A", sz: "150.0", px: "100.0", dir: "Close Long", method: "backstop" },
      { coin: "B", sz: "50.0", px: "100.0", dir: "Close Long", method: "backstop" },
    ]);
    expect(scene.sizes).toEqual({ OWN: 10 });
    expect(scene.account.crossRawUsd).toBe(0);
  });

  it("still goes to the book at two thirds of maintenance", () => {
    const scene = new Scene(rawAt(300, 0.067), [{ coin: "A", size: 300 }]);

    expect(fillsOf(scene.check()).map(({ method }) => method)).toEqual(["market"]);
  });

  it("closes an isolated position by itself: what is left of its margin is the account's again", () => {
    const held = { coin: "CROSS", size: 100 };
    const scene = new Scene(rawAt(100, 0.5), [
      held,
      { coin: "OWN", size: 100, isolatedRawUsd: rawAt(100, 0.09) },
    ]);

    const events = scene.check();

    expect(events[0]).toMatchObject({
      liquidation: { liquidated_ntl_pos: "10000.0", liquidated_account_value: "900.0" },
    });
    expect(scene.sizes).toEqual({ CROSS: 100 });
    expect(scene.account.crossRawUsd).toBeCloseTo(rawAt(100, 0.5) + 800, 9);
  });

  it("has the liquidator take an isolated position with its margin, and nothing of the account's", () => {
    for (const share of [0.05, -0.05]) {
      const held = { coin: "OWN", size: 100, isolatedRawUsd: rawAt(100, share) };
      const scene = new Scene(500, [held]);

      expect(fillsOf(scene.check()).map(({ method }) => method)).toEqual(["backstop"]);
      expect(scene.sizes).toEqual({});
      expect(scene.account.crossRawUsd).toBe(500);
    }
  });
});
