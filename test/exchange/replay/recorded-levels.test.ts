import { describe, expect, it } from "vitest";
import { bucketedLevels } from "../../../src/exchange/replay/recorded-levels.ts";

describe("bucketedLevels", () => {
  it("sums what falls into a bucket of three figures, bids rounded down and asks up", () => {
    const bids = [level("1234.5", "0.1"), level("1231", "0.2"), level("1229.9", "4")];
    const asks = [level("1235", "1"), level("1240", "2"), level("1240.1", "3")];

    expect(bucketedLevels([bids, asks])).toEqual([
      [bucket("1230", "0.3"), bucket("1220", "4")],
      [bucket("1240", "3"), bucket("1250", "3")],
    ]);
  });

  it("leaves a price on the edge of a bucket in it, however it is written in doubles", () => {
    const edges = ["0.0112", "0.00115", "1.15", "100000", "99900"].map((px) => level(px, "1"));

    for (const side of bucketedLevels([edges, edges])) {
      expect(side.map(({ px }) => Number(px))).toEqual([0.0112, 0.00115, 1.15, 100_000, 99_900]);
    }
  });
});

function level(px: string, sz: string): Record<string, unknown> {
  return { px, sz, n: 3 };
}

/** How many orders a bucket holds was not recorded. */
function bucket(px: string, sz: string): Record<string, unknown> {
  return { px, sz, n: 0 };
}
