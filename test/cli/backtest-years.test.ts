import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { afterAll, describe, expect, it, vi } from "vitest";
import { HOUR_MS } from "../../src/domain/bar.ts";
import { readCandles } from "../../src/cli/backtest-candles.ts";
import { walkYears } from "../../src/cli/backtest-years.ts";
import { TouchTable } from "../../src/cli/backtest-touches.ts";
import type { WalkResult } from "../../src/cli/backtest-walk.ts";
import { threadUrl } from "../../src/process/thread-url.ts";
import { candleText } from "../support/candle-series.ts";

vi.mock("../../src/process/thread-url.ts", { spy: true });

// Mutants that these kill: the midnight of New Year judged twice or not at all; years joined in the order they ended;
// what is left to walk walked to its end after a failure.

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

  it("ends the other years when one fails", async () => {
    const path = join(directory, "year.mjs");
    writeFileSync(
      path,
      `import { workerData } from "node:worker_threads";
      if (workerData.toMs === ${Date.UTC(2024, 0)}) throw new Error("broken");
      setInterval(() => undefined, 1_000);`,
    );
    vi.mocked(threadUrl).mockReturnValue(pathToFileURL(path));
    const terminated = vi.spyOn(Worker.prototype, "terminate");

    await expect(walk(2, Date.UTC(2023, 10, 25))).rejects.toThrow("broken");

    expect(terminated).toHaveBeenCalledTimes(2);
    // Over when both threads are.
    await Promise.all(terminated.mock.results.map(({ value }) => value as Promise<number>));
  });

  it("walks any number of years without a warning", async () => {
    const path = join(directory, "empty-year.mjs");
    writeFileSync(
      path,
      `import { parentPort } from "node:worker_threads";
      parentPort.postMessage({ type: "done", series: [], touches: ${JSON.stringify(new TouchTable().dump())} });`,
    );
    vi.mocked(threadUrl).mockReturnValue(pathToFileURL(path));
    const warned = vi.spyOn(process, "emitWarning");

    await walk(2, Date.UTC(2011, 0), [
      { ...readCandles(directory, null)[0]!, firstHour: Date.UTC(2011, 0) / HOUR_MS },
    ]);

    expect(warned).not.toHaveBeenCalled();
  });

  function walk(
    threads: number,
    fromMs = Date.UTC(2023, 11, 30),
    series = readCandles(directory, null),
  ): Promise<WalkResult> {
    return walkYears({
      directory,
      assets: null,
      series,
      fromMs,
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
