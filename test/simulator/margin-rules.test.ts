import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WireClearinghouseState, WireMeta } from "../../src/exchange/hyperliquid/wire.ts";
import {
  liquidationPrice,
  maintenanceMargin,
  marginTiersOf,
  rawForLiquidationAt,
} from "../../src/simulator/margin-rules.ts";
import { magnitude } from "../support/arbitraries.ts";
import { hasSharedData, sharedJson } from "../support/shared-data.ts";

const TABLES = [3, 5, 20, 50, 51, 52, 53, 54, 55, 56];
const table = fc.constantFrom(...TABLES).map(marginTiersOf);

describe("maintenance margin", () => {
  it("has the documented deductions", () => {
    const deductions = [56, 55, 54, 53, 52, 51].map((id) => marginTiersOf(id).at(-1)!.deductionUsd);
    expect(deductions.map((usd) => Math.round(usd * 100) / 100)).toEqual([
      1_875_000, 1_333_333.33, 1_750_000, 1_000_000, 1_000_000, 150_000,
    ]);
  });

  it("is continuous and increasing in notional, across every tier", () => {
    fc.assert(
      fc.property(table, magnitude(1, 1e9), (tiers, notional) => {
        expect(maintenanceMargin(tiers, notional * 1.001)).toBeGreaterThan(
          maintenanceMargin(tiers, notional),
        );
        for (const { lowerBoundUsd } of tiers.slice(1)) {
          expect(maintenanceMargin(tiers, lowerBoundUsd * (1 + 1e-12))).toBeCloseTo(
            maintenanceMargin(tiers, lowerBoundUsd * (1 - 1e-12)),
            2,
          );
        }
      }),
    );
  });
});

describe("liquidation price", () => {
  it("is where equity meets maintenance, on either side, in any tier", () => {
    fc.assert(
      fc.property(
        table,
        fc.constantFrom(1, -1),
        magnitude(1e-3, 1e5),
        magnitude(1e-3, 1e5),
        (tiers, side, size, price) => {
          const signed = side * size;
          const found = liquidationPrice(tiers, signed, rawForLiquidationAt(tiers, signed, price));
          expect(found! / price).toBeCloseTo(1, 9);
        },
      ),
    );
  });

  it("is found where the notional at it is the bound of two tiers, whichever way it is rounded", () => {
    for (const tiers of TABLES.map(marginTiersOf)) {
      for (const { lowerBoundUsd } of tiers.slice(1)) {
        for (let size = 1; size <= 500; size++) {
          for (const signed of [size, -size]) {
            const price = lowerBoundUsd / size;
            const found = liquidationPrice(tiers, signed, rawForLiquidationAt(tiers, signed, price));
            expect(found! / price).toBeCloseTo(1, 9);
          }
        }
      }
    }
  });

  it("gives the documented isolated sample, and none for a position that no price liquidates", () => {
    expect(liquidationPrice(marginTiersOf(50), 0.0335, -95.059824)).toBeCloseTo(2866.2694, 3);
    expect(liquidationPrice(marginTiersOf(56), 1, 50_000)).toBeUndefined();
  });
});

describe.skipIf(!hasSharedData)("a recorded account of 34 positions", () => {
  it("reports the maintenance and liquidation prices that these rules give", () => {
    const meta = sharedJson("exchange_fixtures/meta_20251213T212305Z.json") as WireMeta;
    const tableOf = new Map(
      meta.universe.map(({ name, marginTableId }) => [name, marginTiersOf(marginTableId)]),
    );
    const state = sharedJson("exchange_fixtures/clearinghouseState_whale.json") as WireClearinghouseState;
    const positions = state.assetPositions.map(({ position }) => ({
      ...position,
      tiers: tableOf.get(position.coin)!,
    }));
    const maintenanceOf = ({ tiers, positionValue }: (typeof positions)[number]): number =>
      maintenanceMargin(tiers, Number(positionValue));
    const maintenance = positions.reduce((sum, position) => sum + maintenanceOf(position), 0);
    expect(maintenance).toBeCloseTo(Number(state.crossMaintenanceMarginUsed), 3);
    let compared = 0;
    for (const position of positions) {
      const size = Number(position.szi);
      const raw =
        Number(state.crossMarginSummary.accountValue) -
        (maintenance - maintenanceOf(position)) -
        Math.sign(size) * Number(position.positionValue);
      const found = liquidationPrice(position.tiers, size, raw);
      if (position.liquidationPx === null) continue;
      compared++;
      expect(found! / Number(position.liquidationPx)).toBeCloseTo(1, 8);
    }
    expect(compared).toBe(33);
  });
});
