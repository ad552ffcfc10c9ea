import { describe, expect, it } from "vitest";
import { volatilityPeersOf } from "../../src/refit/volatility-peers.ts";
import { flatSeasonality } from "../../src/risk/volatility/seasonality.ts";
import type { VolatilityModel } from "../../src/risk/volatility/volatility-model.ts";
import { FITTED } from "../support/registry-bench.ts";

describe("volatilityPeersOf", () => {
  it("lends the median variance of five models and more, the upper one of two in the middle, whatever their order", () => {
    expect(volatilityPeersOf(modelsOf(9, 1, 100, 4)).peer).toBeNull();
    expect(volatilityPeersOf(modelsOf(9, 1, 100, 4)).pooledSeasonality).toBeNull();
    expect(volatilityPeersOf(modelsOf(9, 1, 100, 4, 16)).peer).toEqual({ varianceStep: 9 });
    expect(volatilityPeersOf(modelsOf(9, 1, 100, 4, 16, 25)).peer).toEqual({ varianceStep: 16 });
  });
});

function modelsOf(...variances: readonly number[]): readonly VolatilityModel[] {
  return variances.map((windowVarianceStep) => ({
    ...FITTED.model,
    windowVarianceStep,
    seasonality: flatSeasonality(),
  }));
}
