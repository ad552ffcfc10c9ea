import { describe, expect, it } from "vitest";
import type { AlertBreach } from "../../src/risk/alerts.ts";
import { alertBody } from "../../src/response/alert-body.ts";
import { BTC, NOW_MS, WALLET } from "../support/builders.ts";
import { assertMatchesSchema } from "../support/closed-schema.ts";

const breach = (changes: Partial<AlertBreach>): AlertBreach => ({
  type: "liquidation_proximity",
  ticker: BTC,
  severity: "warning",
  currentValue: 0,
  threshold: 0,
  ...changes,
});

describe("alertBody", () => {
  it.each<[Partial<AlertBreach>, number, number, string]>([
    [
      { severity: "critical", currentValue: 0.0141, threshold: 0.05 },
      1.41,
      5,
      "BTC is 1.41 % from liquidation, below 5 %",
    ],
    [
      { currentValue: 0.0499998, threshold: 0.05 },
      4.99998,
      5,
      "BTC is 4.99998 % from liquidation, below 5 %",
    ],
    [
      { currentValue: 0.479, threshold: Number.MAX_VALUE / 100 },
      47.9,
      Number.MAX_VALUE,
      "BTC is 47.9 % from liquidation, below 1.7976931348623157e+308 %",
    ],
    [
      { type: "high_risk_score", currentValue: 74.2, threshold: 70 },
      74.2,
      70,
      "BTC has a risk score of 74.2, above 70",
    ],
    [
      { type: "portfolio_var_breach", ticker: null, currentValue: 0.6130456, threshold: 0.5 },
      61.30456,
      50,
      "portfolio VaR (99 %, 24 h) is 61.3 % of the account, above 50 %",
    ],
    [
      { type: "funding_drag_excessive", currentValue: 0.0295, threshold: 0.01 },
      2.95,
      1,
      "BTC costs 2.95 % of margin a day in funding, above 1 %",
    ],
    [
      { type: "regime_shift", severity: "critical", currentValue: 2, threshold: 0 },
      2,
      0,
      "BTC shifted from normal to crisis",
    ],
    [{ type: "regime_shift", currentValue: 0, threshold: 1 }, 0, 1, "BTC shifted from stressed to normal"],
  ])("of %j says %f against %f: %s", (changes, currentValue, threshold, message) => {
    const body = alertBody(breach(changes), WALLET, NOW_MS);

    assertMatchesSchema("risk-alert", body);
    expect(body).toMatchObject({
      wallet: WALLET,
      current_value: currentValue,
      threshold,
      message,
      timestamp: "2026-01-15T12:00:00.000Z",
    });
    expect(body.asset).toBe(changes.ticker === null ? null : "BTC");
  });
});
