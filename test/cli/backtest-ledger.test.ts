import { describe, expect, it } from "vitest";
import { Ledger, type SeriesKey } from "../../src/cli/backtest-ledger.ts";

const KEY = { subject: "BTC", model: "ours", horizonHours: 24 } as const;
const LONG = { var95: 0.02, var99: 0.04, expectedShortfall95: 0.03, expectedShortfall99: 0.05 };
const SHORT = { var95: 0.06, var99: 0.08, expectedShortfall95: 0.07, expectedShortfall99: 0.09 };

const sideOf = (ledger: Ledger, side: SeriesKey["side"], level: 0.95 | 0.99) =>
  ledger.records((key) => key.side === side, level)[0]!.record;

describe("the ledger of a backtest", () => {
  it("sets each side's simple loss against its own forecast at the level that is asked for", () => {
    const ledger = new Ledger();
    ledger.addReturn(KEY, 5, Math.log(0.9), { long: LONG, short: SHORT });

    for (const [side, loss, forecast] of [
      ["long", 0.1, LONG],
      ["short", -0.1, SHORT],
    ] as const) {
      const [at95, at99] = [sideOf(ledger, side, 0.95), sideOf(ledger, side, 0.99)];
      expect(at95.loss[0]).toBeCloseTo(loss, 12);
      expect([at95.valueAtRisk[0], at95.expectedShortfall[0]]).toEqual([
        forecast.var95,
        forecast.expectedShortfall95,
      ]);
      expect([at99.valueAtRisk[0], at99.expectedShortfall[0]]).toEqual([
        forecast.var99,
        forecast.expectedShortfall99,
      ]);
      expect([at95.tailProbability, at99.tailProbability]).toEqual([0.05, 0.01]);
    }
  });

  it("keeps every period in its order, however many there are and whoever walked them", () => {
    const [first, second] = [new Ledger(), new Ledger()];
    for (let t = 0; t < 300; t++) {
      (t < 200 ? first : second).add({ ...KEY, side: "long" }, t, t / 1_000, LONG);
    }
    first.absorb(second.dump());

    const [{ timeMs, record }] = first.records(() => true, 0.99) as [ReturnType<Ledger["records"]>[number]];
    expect([...timeMs]).toEqual(Array.from({ length: 300 }, (_, t) => t));
    expect(record.loss[299]).toBe(0.299);
  });
});
