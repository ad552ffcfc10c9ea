import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAlertConfig } from "../../src/handlers/alert-config.ts";
import { DEFAULT_ALERT_THRESHOLDS } from "../../src/risk/alerts.ts";
import { WALLET } from "../support/builders.ts";

// Mutants killed by hand: each default changed; percent taken for a fraction; the score divided; a threshold read from
// its neighbour; unknown keys let through; the score's bounds moved by one; Infinity let through.

describe("parseAlertConfig", () => {
  it("has the defaults of the specification: 70, 5 %, 50 %, 1 %", () => {
    expect(parseAlertConfig(JSON.stringify({ wallet: WALLET }))).toEqual({
      ok: true,
      value: {
        wallet: WALLET,
        thresholds: {
          maxRiskScore: 70,
          minLiquidationDistanceFraction: 0.05,
          maxPortfolioVarFraction: 0.5,
          maxFundingDragDailyFraction: 0.01,
        },
      },
    });
  });

  it("passes over a byte order mark before the text", () => {
    expect(parseAlertConfig(`\ufeff${JSON.stringify({ wallet: WALLET })}`)).toMatchObject({
      ok: true,
      value: { wallet: WALLET },
    });
  });

  it("takes each threshold for itself, percent as percent, null for absent", () => {
    const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(0, 5, 100));
    const bound = fc.option(number);
    const config = fc.record(
      {
        max_risk_score: fc.option(fc.nat({ max: 255 })),
        min_liquidation_distance_pct: bound,
        max_portfolio_var_pct: bound,
        max_funding_drag_daily_pct: bound,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(config, (thresholds) => {
        const parsed = parseAlertConfig(JSON.stringify({ wallet: WALLET, thresholds }));

        const defaults = DEFAULT_ALERT_THRESHOLDS;
        const { min_liquidation_distance_pct: distance, max_portfolio_var_pct: risk } = thresholds;
        const drag = thresholds.max_funding_drag_daily_pct;
        expect(parsed.ok && plain(parsed.value.thresholds)).toEqual(
          plain({
            maxRiskScore: thresholds.max_risk_score ?? defaults.maxRiskScore,
            minLiquidationDistanceFraction:
              typeof distance === "number" ? distance / 100 : defaults.minLiquidationDistanceFraction,
            maxPortfolioVarFraction: typeof risk === "number" ? risk / 100 : defaults.maxPortfolioVarFraction,
            maxFundingDragDailyFraction:
              typeof drag === "number" ? drag / 100 : defaults.maxFundingDragDailyFraction,
          }),
        );
      }),
    );
  });

  it("reads what has up to 4,096 characters, and says so of what has more", () => {
    const text = (length: number): string => JSON.stringify({ wallet: WALLET }).padEnd(length);

    expect(parseAlertConfig(text(4_096)).ok).toBe(true);
    expect(parseAlertConfig(text(4_097))).toEqual({
      ok: false,
      error: { code: "invalid_field", field: "the message", expected: "at most 4096 characters" },
    });
  });

  it.each(["[]", "null", "5", '"text"'])("says of %s what a config is", (text) => {
    expect(parseAlertConfig(text)).toEqual({
      ok: false,
      error: {
        code: "invalid_field",
        field: "the message",
        expected: "an object with wallet and, if wanted, thresholds",
      },
    });
  });

  it("accepts a score if and only if it is an unsigned 8-bit integer", () => {
    const number = fc.oneof(
      fc.integer({ min: -300, max: 600 }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    );
    fc.assert(
      fc.property(number, (score) => {
        const parsed = parseAlertConfig(
          JSON.stringify({ wallet: WALLET, thresholds: { max_risk_score: score } }),
        );

        expect(parsed.ok).toBe(Number.isInteger(score) && score >= 0 && score <= 255);
      }),
    );
  });

  it("refuses every key that is not one of the four, by its name", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), fc.jsonValue(), (key, value) => {
        const known =
          /^(max_risk_score|min_liquidation_distance_pct|max_(portfolio_var|funding_drag_daily)_pct)$/;
        fc.pre(!known.test(key));
        const parsed = parseAlertConfig(
          `{"wallet":"${WALLET}","thresholds":{${JSON.stringify(key)}:${JSON.stringify(value)}}}`,
        );

        expect(parsed).toMatchObject({ ok: false, error: { field: `thresholds.${key}` } });
      }),
    );
  });

  it("says which threshold a misspelt key means, among the thresholds and beside them", () => {
    const refusal = (config: object) => parseAlertConfig(JSON.stringify({ wallet: WALLET, ...config }));

    expect(refusal({ thresholds: { maxRiskScore: 50 } })).toEqual({
      ok: false,
      error: { code: "misspelt_field", field: "thresholds.maxRiskScore", meant: "max_risk_score" },
    });
    expect(refusal({ maxRiskScore: 50 })).toEqual({
      ok: false,
      error: { code: "misspelt_field", field: "maxRiskScore", meant: "thresholds.max_risk_score" },
    });
  });

  it("gives a config or an error for any text, never a throw", () => {
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((json) => `{"wallet":"${WALLET}","thresholds":${json}}`),
    );
    fc.assert(
      fc.property(text, (message) => {
        const parsed = parseAlertConfig(message);

        if (parsed.ok) {
          for (const bound of Object.values(parsed.value.thresholds))
            expect(Number.isFinite(bound)).toBe(true);
        } else expect(typeof parsed.error.code).toBe("string");
      }),
    );
  });

  it("ignores what is extra beside the thresholds, but not what is nearly one of its own fields", () => {
    expect(parseAlertConfig(JSON.stringify({ wallet: WALLET, client: "desk 4" })).ok).toBe(true);
    for (const field of ["tresholds", "treshold"]) {
      expect(parseAlertConfig(JSON.stringify({ wallet: WALLET, [field]: {} }))).toMatchObject({
        error: { code: "misspelt_field", field, meant: "thresholds" },
      });
    }
  });

  it("says of a threshold that stands beside the thresholds where it belongs", () => {
    expect(parseAlertConfig(JSON.stringify({ wallet: WALLET, maxRiskScore: 60 }))).toMatchObject({
      error: { code: "misspelt_field", field: "maxRiskScore", meant: "thresholds.max_risk_score" },
    });
    for (const thresholds of [undefined, null, { max_risk_score: 60 }]) {
      expect(parseAlertConfig(JSON.stringify({ wallet: WALLET, max_risk_score: 60, thresholds }))).toEqual({
        ok: false,
        error: { code: "misspelt_field", field: "max_risk_score", meant: "thresholds.max_risk_score" },
      });
    }
  });

  it("takes thresholds that are null for the defaults", () => {
    expect(parseAlertConfig(JSON.stringify({ wallet: WALLET, thresholds: null }))).toMatchObject({
      value: { thresholds: DEFAULT_ALERT_THRESHOLDS },
    });
  });

  it("lower-cases the wallet and refuses what is none", () => {
    const upper = `0x${WALLET.slice(2).toUpperCase()}`;
    expect(parseAlertConfig(JSON.stringify({ wallet: upper }))).toMatchObject({ value: { wallet: WALLET } });
    expect(parseAlertConfig(JSON.stringify({ wallet: "0x12" }))).toEqual({
      ok: false,
      error: { code: "invalid_wallet", wallet: "0x12" },
    });
  });
});

/** -0 and 0 are the same bound. */
function plain(thresholds: object): Record<string, number> {
  return Object.fromEntries(Object.entries(thresholds).map(([name, value]) => [name, Number(value) + 0]));
}
