import type { AccountMode, Position } from "../../domain/account.ts";
import { tickerOf } from "../../domain/ids.ts";
import type { Parsed, WireRecord } from "./field-reader.ts";
import { FieldReader } from "./field-reader.ts";

/** The perpetual side of an account as the exchange reports it. */
export interface PerpAccount {
  /** Signed cash leg of the cross account. */
  readonly crossCashUsd: number;
  readonly crossMaintenanceMarginUsd: number;
  /** Signed notional of the cross positions at the exchange's marks. */
  readonly crossSignedNotionalUsd: number;
  /** Equity of the isolated positions, unrealized profit included. */
  readonly isolatedMarginUsd: number;
  readonly positions: readonly Position[];
  readonly exchangeTimeMs: number;
}

/** The spot account, as far as it may be collateral. */
export interface SpotAccount {
  /** No token held and none available: whatever the account's mode, its collateral is the perpetual account. */
  readonly isEmpty: boolean;
  /** Holds included; on unified accounts this is the whole account's equity in USDC. */
  readonly usdcTotalUsd: number;
  /** Equity less all maintenance margins, as the exchange computes it; null on standard accounts. */
  readonly availableAfterMaintenanceUsd: number | null;
}

const USDC_TOKEN = 0;
/** More than ten times the highest taker fee that is published. */
const TAKER_FEE_MAX = 0.01;

const ACCOUNT_MODES: Readonly<Record<string, AccountMode>> = {
  unifiedAccount: "unified",
  portfolioMargin: "portfolio_margin",
  disabled: "standard",
  default: "standard",
  dexAbstraction: "standard",
};

export function parsePerpAccount(value: unknown): Parsed<PerpAccount> {
  const reader = new FieldReader();
  const state = reader.record(value, "clearinghouseState");
  const cross = reader.record(state["crossMarginSummary"], "crossMarginSummary");
  const crossMaintenanceMarginUsd = reader.nonNegative(
    state["crossMaintenanceMarginUsed"],
    "crossMaintenanceMarginUsed",
  );
  let crossSignedNotionalUsd = 0;
  let isolatedMarginUsd = 0;
  const positions: Position[] = [];
  for (const [i, row] of reader.list(state["assetPositions"], "assetPositions").entries()) {
    const path = `assetPositions[${String(i)}]`;
    const wire = reader.record(reader.record(row, path)["position"], `${path}.position`);
    const position = readPosition(reader, wire, path);
    const notionalUsd = reader.nonNegative(wire["positionValue"], `${path}.positionValue`);
    positions.push(position);
    if (position.marginMode === "isolated") {
      isolatedMarginUsd += reader.decimal(wire["marginUsed"], `${path}.marginUsed`);
      continue;
    }
    crossSignedNotionalUsd += Math.sign(position.sizeBase) * notionalUsd;
  }
  return reader.finish({
    crossCashUsd: reader.decimal(cross["totalRawUsd"], "crossMarginSummary.totalRawUsd"),
    crossMaintenanceMarginUsd,
    crossSignedNotionalUsd,
    isolatedMarginUsd,
    positions,
    exchangeTimeMs: reader.positiveCount(state["time"], "time"),
  });
}

/** A spotClearinghouseState answer; an account without a USDC balance holds 0 of it. */
export function parseSpotAccount(value: unknown): Parsed<SpotAccount> {
  const reader = new FieldReader();
  const state = reader.record(value, "spotClearinghouseState");
  const balances = reader.list(state["balances"], "balances").map((row) => reader.record(row, "balances"));
  const usdc = balances.find((balance) => balance["token"] === USDC_TOKEN);
  const available = state["tokenToAvailableAfterMaintenance"];
  const pairs = available === undefined || available === null ? [] : reader.list(available, "available");
  const pair = pairs.map((row) => reader.list(row, "available")).find(([token]) => token === USDC_TOKEN);
  const isHeld = (total: unknown): boolean => reader.decimal(total, "balances.total") !== 0;
  return reader.finish({
    isEmpty: pairs.length === 0 && !balances.some((balance) => isHeld(balance["total"])),
    usdcTotalUsd: usdc === undefined ? 0 : reader.decimal(usdc["total"], "balances.total"),
    availableAfterMaintenanceUsd: pair === undefined ? null : reader.decimal(pair[1], "available[1]"),
  });
}

/** How the account's collateral is held; a name not known yet is "unknown", not an error. */
export function parseAccountMode(value: unknown): Parsed<AccountMode> {
  const reader = new FieldReader();
  const name = reader.text(value, "userAbstraction");
  return reader.finish(Object.hasOwn(ACCOUNT_MODES, name) ? (ACCOUNT_MODES[name] ?? "unknown") : "unknown");
}

/** The wallet's effective taker fee as a fraction of notional. */
export function parseTakerFeeFraction(value: unknown): Parsed<number> {
  const reader = new FieldReader();
  const fraction = reader.nonNegative(reader.record(value, "userFees")["userCrossRate"], "userCrossRate");
  if (fraction > TAKER_FEE_MAX) reader.fail("mismatch", "userCrossRate", fraction);
  return reader.finish(fraction);
}

function readPosition(reader: FieldReader, wire: WireRecord, path: string): Position {
  const sizeBase = reader.decimal(wire["szi"], `${path}.szi`);
  if (sizeBase === 0) reader.fail("not_positive", `${path}.szi`, wire["szi"]);
  const leverage = reader.record(wire["leverage"], `${path}.leverage`);
  const type = reader.text(leverage["type"], `${path}.leverage.type`);
  if (type !== "cross" && type !== "isolated") reader.fail("wrong_type", `${path}.leverage.type`, type);
  const liquidation = reader.decimalOrNull(wire["liquidationPx"], `${path}.liquidationPx`);
  return {
    ticker: tickerOf(reader.text(wire["coin"], `${path}.coin`)),
    sizeBase,
    entryPrice: reader.positive(wire["entryPx"], `${path}.entryPx`),
    marginMode: type === "isolated" ? "isolated" : "cross",
    leverage: reader.positiveCount(leverage["value"], `${path}.leverage.value`),
    isolatedCashUsd:
      type === "isolated" ? reader.decimal(leverage["rawUsd"], `${path}.leverage.rawUsd`) : null,
    reportedLiquidationPrice: liquidation !== null && liquidation > 0 ? liquidation : null,
  };
}
