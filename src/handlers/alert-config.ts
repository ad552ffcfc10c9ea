import { isAlertConfig } from "../contracts/generated/contract-validators.ts";
import type { AlertConfig, AlertThresholds as AlertThresholdFields } from "../contracts/generated/types.ts";
import type { RequestError } from "../domain/errors.ts";
import { checkedWalletAddress } from "../domain/ids.ts";
import { isRecord, jsonValueOf } from "../domain/json-value.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { fromPct } from "../response/units.ts";
import { type AlertRequest, type AlertThresholds, DEFAULT_ALERT_THRESHOLDS } from "../risk/alerts.ts";
import { contractViolationOf } from "./contract-violation.ts";
import { spellingCheckOf } from "./field-names.ts";

const CONFIG_FIELDS = ["wallet", "thresholds"] as const satisfies readonly (keyof AlertConfig)[];
const THRESHOLD_FIELDS = [
  "max_risk_score",
  "min_liquidation_distance_pct",
  "max_portfolio_var_pct",
  "max_funding_drag_daily_pct",
] as const satisfies readonly (keyof AlertThresholdFields)[];
const misspeltFieldOf = spellingCheckOf(CONFIG_FIELDS);
const misspeltThresholdOf = spellingCheckOf(THRESHOLD_FIELDS);

/** Characters; with every field and threshold a config has a tenth of it. */
export const ALERT_CONFIG_LENGTH_MAX = 4_096;

/**
 * Text of an AlertConfig message to what it asks for; absent thresholds have their defaults.
 *
 * Errors:  not_json, misspelt_field, invalid_field, invalid_wallet
 */
export function parseAlertConfig(text: string): Result<AlertRequest, RequestError> {
  if (text.length > ALERT_CONFIG_LENGTH_MAX) {
    return err({
      code: "invalid_field",
      field: "the message",
      expected: `at most ${ALERT_CONFIG_LENGTH_MAX} characters`,
    });
  }
  const body = jsonValueOf(text);
  if (body === undefined) return err({ code: "not_json" });
  if (!isRecord(body)) {
    return err({
      code: "invalid_field",
      field: "the message",
      expected: "an object with wallet and, if wanted, thresholds",
    });
  }
  const misspelt = misspeltFieldOf(body);
  if (misspelt !== undefined) return err(misspelt);
  const misplaced = misplacedThresholdOf(body) ?? unknownThresholdOf(body);
  if (misplaced !== undefined) return err(misplaced);
  if (!isAlertConfig(body)) return err(contractViolationOf(isAlertConfig.errors, body));
  return ok({
    wallet: checkedWalletAddress(body.wallet),
    thresholds: thresholdsOf(body.thresholds ?? {}),
  });
}

function thresholdsOf(fields: AlertThresholdFields): AlertThresholds {
  const {
    max_risk_score: score,
    min_liquidation_distance_pct: distancePct,
    max_portfolio_var_pct: varPct,
    max_funding_drag_daily_pct: dragPct,
  } = fields;
  const defaults = DEFAULT_ALERT_THRESHOLDS;
  return {
    maxRiskScore: score ?? defaults.maxRiskScore,
    minLiquidationDistanceFraction: fractionOr(distancePct, defaults.minLiquidationDistanceFraction),
    maxPortfolioVarFraction: fractionOr(varPct, defaults.maxPortfolioVarFraction),
    maxFundingDragDailyFraction: fractionOr(dragPct, defaults.maxFundingDragDailyFraction),
  };
}

function fractionOr(percent: number | null | undefined, fallback: number): number {
  return percent === undefined || percent === null ? fallback : fromPct(percent);
}

/** A threshold beside the thresholds would be ignored in silence, and the default be in force. */
function misplacedThresholdOf(body: Readonly<Record<string, unknown>>): RequestError | undefined {
  const field = THRESHOLD_FIELDS.find((name) => name in body);
  if (field !== undefined) return { code: "misspelt_field", field, meant: `thresholds.${field}` };
  const misspelt = misspeltThresholdOf(body);
  if (misspelt?.code !== "misspelt_field") return undefined;
  return { ...misspelt, meant: `thresholds.${misspelt.meant}` };
}

/** The schema refuses unknown keys too, but without their name. */
function unknownThresholdOf({ thresholds }: Readonly<Record<string, unknown>>): RequestError | undefined {
  if (!isRecord(thresholds)) return undefined;
  const misspelt = misspeltThresholdOf(thresholds);
  if (misspelt?.code === "misspelt_field") return { ...misspelt, field: `thresholds.${misspelt.field}` };
  const key = Object.keys(thresholds).find((name) => !THRESHOLD_FIELDS.some((known) => known === name));
  if (key === undefined) return undefined;
  return {
    code: "invalid_field",
    field: `thresholds.${key}`,
    expected: `one of ${THRESHOLD_FIELDS.join(", ")}`,
  };
}
