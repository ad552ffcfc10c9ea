import { describe, expect, it } from "vitest";
import { MarkPrice, weightedMedianOf } from "../../src/simulator/mark-price.ts";

const inputs = {
  oraclePrice: 100,
  midPrice: 101,
  localPrices: [100.9, 101.1, 103],
  venueMids: [{ value: 100.4, weight: 3 }],
  elapsedMs: 3000,
};

describe("mark price", () => {
  it("is the median of oracle with its mean basis, the local median and the venues' weighted median", () => {
    expect(new MarkPrice().update(inputs)).toBeCloseTo(101, 9);
    expect(new MarkPrice().update({ ...inputs, midPrice: 100.7 })).toBeCloseTo(100.7, 9);
    expect(new MarkPrice().update({ ...inputs, venueMids: [{ value: 101.05, weight: 3 }] })).toBeCloseTo(
      101.05,
      9,
    );
  });

  it("weighs the basis of 150 s by e-foldings of time", () => {
    const mark = new MarkPrice();
    const quiet = { ...inputs, localPrices: [], venueMids: [] };
    mark.update({ ...quiet, midPrice: 100 });
    const decay = Math.exp(-3000 / 150_000);
    expect(mark.update(quiet)).toBeCloseTo(100 + 1 / (1 + decay), 9);
  });

  it("adds the 30 s local mean when only two of the three exist", () => {
    const mark = new MarkPrice();
    const alone = { ...inputs, venueMids: [], midPrice: 100 };
    mark.update({ ...alone, localPrices: [102] });
    const decay = Math.exp(-3000 / 30_000);
    const localMean = (102 * decay + 104) / (1 + decay);
    expect(mark.update({ ...alone, localPrices: [104] })).toBeCloseTo(localMean, 9);
  });

  it("takes the lowest value that reaches half of the weight", () => {
    expect(
      weightedMedianOf([
        { value: 3, weight: 1 },
        { value: 1, weight: 3 },
        { value: 2, weight: 2 },
      ]),
    ).toBe(1);
    expect(
      weightedMedianOf([
        { value: 3, weight: 3 },
        { value: 1, weight: 1 },
        { value: 2, weight: 1 },
      ]),
    ).toBe(3);
    expect(
      weightedMedianOf([
        { value: 5, weight: 2 },
        { value: 1, weight: 2 },
        { value: 3, weight: 1 },
      ]),
    ).toBe(3);
  });
});
