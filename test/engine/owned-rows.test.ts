import { describe, expect, it } from "vitest";
import { ownRows } from "../../src/engine/owned-rows.ts";
import type { DrawnSheet } from "../../src/refit/sheet-job.ts";
import { buildScenarioSheet } from "../../src/risk/scenarios/sheet-builder.ts";
import type { AssetTails } from "../../src/risk/tails/var.ts";
import { tickerOf } from "../../src/domain/ids.ts";
import { testAsset, testInputs } from "../support/scenarios.ts";

// Mutants killed: depths or days that stay in the block, one side's alone taken out, memory of all assets in one, the other
// side's depths taken for a side's, plain memory.

const drawn = drawnSheet();

describe("rows of their own", () => {
  it("say what was drawn", () => {
    expect(ownRows(drawn)).toEqual(drawn);
  });

  it("hold nothing of the block that they were drawn into, but for the sheet itself, nor of one another", () => {
    const own = ownRows(drawn);
    const block = new Set([...depthsOf(drawn.rows[0]!.tails), drawn.sheet.days[0]!.returns.buffer]);
    expect(block.size).toBe(1);

    const memories = own.rows.map(({ tails }, row) => {
      const ofTails = depthsOf(tails);
      const ofDay = own.sheet.days[row]!.returns.buffer;
      expect(new Set(ofTails).size).toBe(1);
      expect(ofDay).not.toBe(ofTails[0]);
      return [ofTails[0]!, ofDay];
    });
    expect(new Set(memories.flat()).size).toBe(2 * own.rows.length);
    for (const memory of memories.flat()) {
      expect(memory).toBeInstanceOf(SharedArrayBuffer);
      expect(block).not.toContain(memory);
      expect(memory.byteLength).toBeLessThan(100_000);
    }
    expect(own.sheet.logPaths).toBe(drawn.sheet.logPaths);
    expect(own.sheet.pools).toBe(drawn.sheet.pools);
  });
});

function drawnSheet(): DrawnSheet {
  const { sheet, tails } = buildScenarioSheet(testInputs(3, [testAsset(1), testAsset(2), testAsset(3)]));
  const rows = tails.map((ofRow, row) => ({
    ticker: tickerOf(`A${row}`),
    tails: ofRow,
    cumulativeVariance: [1, 2, 3, 4] as const,
    tailBeta: row,
  }));
  return { sheet, rows };
}

function depthsOf({ long, short }: AssetTails): ArrayBufferLike[] {
  return [...long.adversePaths, ...short.adversePaths].map(({ depths }) => depths.buffer);
}
