import { describe, expect, it } from "vitest";
import { fzLoss } from "../../../src/risk/backtest/fz-loss.ts";
import { comparePooled, type DatedRecord, poolVerdicts } from "../../../src/risk/backtest/pooled-verdict.ts";
import { judgeTail, type TailVerdict } from "../../../src/risk/backtest/tail-verdict.ts";

/** VaR 1 and ES 1.2 times `scale`; a period loses 2 where `losses` says so, else nothing. */
function recordOf(losses: readonly (0 | 1)[], firstMs = 0, scale = 1): DatedRecord {
  return {
    timeMs: Float64Array.from(losses, (_, t) => firstMs + t),
    record: {
      tailProbability: 0.01,
      loss: Float64Array.from(losses, (isBreach) => 2 * isBreach),
      valueAtRisk: Float64Array.from(losses, () => scale),
      expectedShortfall: Float64Array.from(losses, () => 1.2 * scale),
    },
  };
}

const pooledOf = (records: readonly DatedRecord[]) =>
  poolVerdicts(
    records,
    records.map(({ record }) => judgeTail(record)),
  );

describe("poolVerdicts", () => {
  it("has the error of a rate whose dates are drawn whole: two series that break together count as one", () => {
    const once = pooledOf([recordOf([0, 1, 0, 0])]);
    const twice = pooledOf([recordOf([0, 1, 0, 0]), recordOf([0, 1, 0, 0])]);
    const apart = pooledOf([recordOf([0, 1, 0, 0]), recordOf([0, 0, 1, 0])]);

    // One breach of four: sqrt(3 (1/4)^2 + (3/4)^2) / 4.
    expect(once.rateStandardError).toBeCloseTo(Math.sqrt(0.75) / 4, 12);
    expect(twice.rateStandardError).toBeCloseTo(Math.sqrt(0.75) / 4, 12);
    expect(apart.rateStandardError).toBeCloseTo(Math.sqrt(4 * 0.25) / 8, 12);
  });

  it("has no error of a single date, from which a rate does not differ", () => {
    expect(pooledOf([recordOf([1]), recordOf([0]), recordOf([0])])).toMatchObject({
      rate: 1 / 3,
      rateStandardError: null,
    });
  });

  it("weighs every period alike, not every series", () => {
    const [long, short] = [recordOf([0, 0, 0, 0, 0, 0]), recordOf([1, 1])];
    const pooled = pooledOf([long, short]);

    expect([pooled.series, pooled.observations, pooled.breaches]).toEqual([2, 8, 2]);
    expect(pooled.rate).toBe(2 / 8);
    expect([pooled.rateMin, pooled.rateMax]).toEqual([0, 1]);
    const mean = (6 * fzLoss(0, 1, 1.2, 0.01) + 2 * fzLoss(2, 1, 1.2, 0.01)) / 8;
    expect(pooled.fzLossMean).toBeCloseTo(mean, 12);
  });
});

describe("the series that pass", () => {
  it("are those that a test does not reject at 5 %, for each test alone", () => {
    const record = recordOf([0, 1, 0, 0]);
    const verdict = judgeTail(record.record);
    const withPValues = (kupiec: number, conditionalCoverage: number): TailVerdict => ({
      ...verdict,
      kupiec: { ...verdict.kupiec, pValue: kupiec },
      christoffersen: { ...verdict.christoffersen, conditionalCoveragePValue: conditionalCoverage },
    });
    const verdicts = [
      [0.05, 0.0499],
      [0.0499, 0.0499],
      [0.9, 0.05],
      [0.0501, 0.001],
    ].map(([kupiec, coverage]) => withPValues(kupiec!, coverage!));

    const pooled = poolVerdicts(
      verdicts.map(() => record),
      verdicts,
    );

    expect([pooled.kupiecPassShare, pooled.conditionalCoveragePassShare]).toEqual([3 / 4, 1 / 4]);
  });
});

describe("comparePooled", () => {
  it("is positive where the baseline's losses are the larger, period by period", () => {
    const losses = Array.from({ length: 60 }, (_, t) => Number(t % 20 === 7) as 0 | 1);
    const fitting = recordOf(losses);
    const tooLow = recordOf(losses, 0, 0.05);

    const { fzLossDifference, statistic } = comparePooled([fitting], [tooLow], 4);

    const of = (scale: number): number =>
      (57 * fzLoss(0, scale, 1.2 * scale, 0.01) + 3 * fzLoss(2, scale, 1.2 * scale, 0.01)) / 60;
    expect(fzLossDifference).toBeCloseTo(of(0.05) - of(1), 9);
    expect(fzLossDifference).toBeGreaterThan(0);
    expect(statistic).toBeGreaterThan(0);
    expect(comparePooled([tooLow], [fitting], 4).fzLossDifference).toBeCloseTo(-fzLossDifference, 9);
  });

  it("compares each series with its own baseline, and counts dates: a copy of a series proves nothing more", () => {
    const breaking = (at: number) => Array.from({ length: 60 }, (_, t) => Number(t % 20 === at) as 0 | 1);
    const [one, other] = [breaking(7), breaking(11)];
    const model = [recordOf(one), recordOf(other)];
    const baseline = [recordOf(one, 0, 0.05), recordOf(other, 0, 0.2)];
    const alone = model.map((record, place) => comparePooled([record], [baseline[place]!], 4));

    const together = comparePooled(model, baseline, 4).fzLossDifference;
    expect(together).toBeCloseTo((alone[0]!.fzLossDifference + alone[1]!.fzLossDifference) / 2, 12);
    expect(alone[0]!.fzLossDifference).not.toBeCloseTo(alone[1]!.fzLossDifference, 1);
    const twice = comparePooled([model[0]!, model[0]!], [baseline[0]!, baseline[0]!], 4);
    expect(twice.statistic).toBeCloseTo(alone[0]!.statistic!, 9);
  });

  it("takes breaches of neighbouring dates for fewer than they are, as far as the lags reach", () => {
    const losses = Array.from({ length: 60 }, (_, t) => Number(t % 20 < 5) as 0 | 1);
    const at = (lags: number): number =>
      comparePooled([recordOf(losses)], [recordOf(losses, 0, 0.05)], lags).statistic!;

    expect(at(4)).toBeLessThan(0.7 * at(0));
    expect(at(1)).toBeGreaterThan(at(4));
  });
});

describe("judgeTail", () => {
  it("keeps the most that the evidence of the running month came to, though calm days have worn it down", () => {
    const { record } = recordOf([1, 0, 0, 0]);
    const verdict = judgeTail(record);

    expect(verdict.logEvidenceVar).toBeCloseTo(Math.log(1.99), 12);
    // A breach of 2 over a VaR of 1 and a shortfall of 1.2: a hundred times one fifth of what was lost.
    expect(verdict.logEvidenceShortfall).toBeCloseTo(Math.log(0.99 + 0.01 * 500), 12);
  });
});
