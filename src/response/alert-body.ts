import type { RiskAlert } from "../contracts/generated/types.ts";
import type { WalletAddress } from "../domain/ids.ts";
import type { AlertBreach } from "../risk/alerts.ts";
import { LIQUIDITY_REGIMES } from "../risk/regime/liquidity-regime.ts";
import { rounded, toPct } from "./units.ts";

/** One breach as the message a subscriber reads: fractions as percent, scores and regime ordinals as they are. */
export function alertBody(breach: AlertBreach, wallet: WalletAddress, evaluatedAtMs: number): RiskAlert {
  const isFraction = breach.type !== "high_risk_score" && breach.type !== "regime_shift";
  const wire = isFraction ? toPct : rounded;
  const currentValue = wire(breach.currentValue);
  const threshold = wire(breach.threshold);
  return {
    alert_type: breach.type,
    wallet,
    asset: breach.ticker,
    severity: breach.severity,
    message: sentenceOf(breach, currentValue, threshold),
    timestamp: new Date(evaluatedAtMs).toISOString(),
    current_value: currentValue,
    threshold,
  };
}

function sentenceOf({ type, ticker }: AlertBreach, currentValue: number, threshold: number): string {
  const subject = ticker ?? "portfolio";
  const [value, bound] = shownApart(currentValue, threshold);
  switch (type) {
    case "liquidation_proximity":
      return `${subject} is ${value} % from liquidation, below ${bound} %`;
    case "high_risk_score":
      return `${subject} has a risk score of ${value}, above ${bound}`;
    case "portfolio_var_breach":
      return `${subject} VaR (99 %, 24 h) is ${value} % of the account, above ${bound} %`;
    case "funding_drag_excessive":
      return `${subject} costs ${value} % of margin a day in funding, above ${bound} %`;
    case "regime_shift":
      return `${subject} shifted from ${regimeAt(threshold)} to ${regimeAt(currentValue)}`;
  }
}

function regimeAt(ordinal: number): string {
  return LIQUIDITY_REGIMES[ordinal]!;
}

/** Four significant digits are enough to read, where they tell the two apart; of the largest numbers they are Infinity. */
function shownApart(value: number, threshold: number): readonly [string, string] {
  const [a, b] = [Number(value.toPrecision(4)), Number(threshold.toPrecision(4))];
  return a === b || !Number.isFinite(b) ? [String(value), String(threshold)] : [String(a), String(b)];
}
