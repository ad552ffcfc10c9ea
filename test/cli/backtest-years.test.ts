import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { HOUR_MS } from "../../src/domain/bar.ts";
import { readCandles } from "../../src/cli/backtest-candles.ts";
import { walkYears } from "../../src/cli/backtest-years.ts";
import type { WalkResult } from "../../src/cli/backtest-walk.ts";
import { candleText } from "../support/candle-series.ts";

// Mutants that these kill: the midnight of New Year judged twice or not at all; years joined in the order they ended.

describe("walkYears", () => {
  const directory = mkdtempSync(join(tmpdir(), "years-"));
  const firstHour = Date.UTC(2023, 10, 25) / HOUR_MS;
  writeFileSync(join(directory, "BTC.csv"), candleText(3, firstHour, 40 * 24));
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  it("gives one record without a seam, whatever the number of threads", async () => {
    const one = hoursOf(await walk(1));
    const two = hoursOf(await walk(2));

    expect(two).toEqual(one);
    const from = Date.UTC(2023, 11, 30);
    expect(Array.from(one.timeMs)).toEqual(Array.from({ length: 4 * 24 }, (_, k) => from + k * HOUR_MS));
  });

  function walk(threads: number): Promise<WalkResult> {
    return walkYears({
      directory,
      assets: null,
      series: readCandles(directory, null),
      fromMs: Date.UTC(2023, 11, 30),
      toMs: Date.UTC(2024, 0, 3),
      threads,
      onProgress: () => undefined,
    });
  }
});

function hoursOf({ ledger }: WalkResult): ReturnType<typeof ledger.records>[number] {
  return ledger.records(
    ({ model, horizonHours, side }) => model === "breakwater" && horizonHours === 1 && side === "long",
    0.99,
  )[0]!;
}
