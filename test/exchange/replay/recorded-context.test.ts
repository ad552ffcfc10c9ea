import { describe, expect, it } from "vitest";
import { contextAtMid } from "../../../src/exchange/replay/recorded-context.ts";

describe("contextAtMid", () => {
  it("moves every price with the book's mid and leaves the rest as it was recorded", () => {
    const rest = { funding: "0.0000125", openInterest: "7", premium: null, dayNtlVlm: "5" };
    const prices = {
      markPx: "100.0",
      oraclePx: "101",
      midPx: "100",
      prevDayPx: "80",
      impactPxs: ["99", "102"],
    };

    expect(contextAtMid({ ...rest, ...prices }, 100, 150)).toEqual({
      ...rest,
      markPx: "150",
      oraclePx: "151.5",
      midPx: "150",
      prevDayPx: "120",
      impactPxs: ["148.5", "153"],
    });
    expect(contextAtMid({ ...rest, ...prices, impactPxs: null }, 100, 150)).toMatchObject({
      impactPxs: null,
    });
  });
});
