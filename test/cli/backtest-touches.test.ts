import { describe, expect, it } from "vitest";
import { TOUCH_MOVES, TouchTable } from "../../src/cli/backtest-touches.ts";

const falling = { logReturn: 0, logLow: Math.log(0.94), logHigh: Math.log(1.01) };
const rising = { logReturn: 0, logLow: Math.log(0.99), logHigh: Math.log(1.12) };

/** Forecasts of a tenth of the distance to a fall, and a fifth of that to a rise. */
function tableOf(days: readonly (typeof falling)[]): TouchTable {
  const table = new TouchTable();
  for (const day of days) {
    table.add(
      day,
      (logDistance) => logDistance / 10,
      (logDistance) => logDistance / 5,
    );
  }
  return table;
}

describe("a table of touches", () => {
  it("counts falls by a day's low and rises by its high, as shares of the days", () => {
    const table = tableOf([falling, rising, rising, falling]);

    const observed = (side: "falls" | "rises") => table.rows(side).map(({ observedRate }) => observedRate);
    expect(observed("falls")).toEqual([0.5, 0.5, 0, 0, 0, 0]);
    expect(observed("rises")).toEqual([0.5, 0.5, 0.5, 0, 0, 0]);
  });

  it("asks the forecast for moves of the price: a fall of 10 % is farther in logarithms than a rise of it", () => {
    const table = tableOf([falling, rising]);

    TOUCH_MOVES.forEach((move, i) => {
      expect(table.rows("falls")[i]!.predictedRate).toBeCloseTo(-Math.log(1 - move) / 10, 12);
      expect(table.rows("rises")[i]!.predictedRate).toBeCloseTo(Math.log(1 + move) / 5, 12);
    });
  });

  it("sets what was forecast over what came, and nothing over nothing", () => {
    const [first, , , last] = tableOf([falling, rising]).rows("falls");

    expect(first!.ratio).toBeCloseTo(first!.predictedRate / 0.5, 12);
    expect(last!.ratio).toBeNull();
  });

  it("puts the days of several threads together as if one had walked them", () => {
    const whole = tableOf([falling, rising, rising]);
    const parts = tableOf([falling]);
    parts.absorb(tableOf([rising, rising]).dump());

    for (const side of ["falls", "rises"] as const) {
      parts.rows(side).forEach((row, i) => {
        expect(row.predictedRate).toBeCloseTo(whole.rows(side)[i]!.predictedRate, 12);
        expect({ ...row, predictedRate: 0, ratio: 0 }).toEqual({
          ...whole.rows(side)[i],
          predictedRate: 0,
          ratio: 0,
        });
      });
    }
  });
});
