import type { AccountMode, MarginMode, Position } from "../../domain/account.ts";
import { tickerOf } from "../../domain/ids.ts";
import { isBeyondMarket, MARKET_USD_MAX } from "../../domain/market-bounds.ts";
import type { Parsed, WireRecord } from "./field-reader.ts";
import { FieldReader } from "./field-reader.ts";

/** The perpetual side of an account as the exchange reports it. */
export interface PerpAccount {
  /** Signed cash leg of the cross account. */
  readonly crossCashUsd: number;
  readonly crossMaintenanceMarginUsd: number;
  /** Signed notional of the cross positions at the exchange's marks. */
  readonly crossSignedNotionalUsd: number;
  /** At most one of an asset. */
  readonly positions: readonly Position[];
  /** False where two of its statements cannot both be true; the one that leaves less then counts, as far as it can. */
  readonly isConsistent: boolean;
  readonly exchangeTimeMs: number;
}

interface ReadPosition {
  readonly position: Position;
  readonly signedNotionalUsd: number;
  /** More than the known rules ask for at its size. */
  readonly maintenanceMaxUsd: number;
  readonly isConsistent: boolean;
}

/** The spot account, as far as it may be collateral. */
export interface SpotAccount {
  /** No token held and none available: whatever the account's mode, its collateral is the perpetual account. */
  readonly isEmpty: boolean;
  /**
   * USDC, profits included, less all isolated and cross maintenance margins, as the exchange computes it of accounts that
   * pool their collateral in spot: unified and portfolio-margin ones. Null where it says none, as of standard accounts.
   * Source: recorded accounts of both modes, 2026-09, in which it is that to 1e-8 USD.
   */
  readonly availableAfterMaintenanceUsd: number | null;
}

const USDC_TOKEN = 0;
/** More than ten times the highest taker fee that is published. */
const TAKER_FEE_MAX = 0.01;

/** The exchange offers 50 at most; what it offered to whom it may lower, and positions keep what they had. */
const LEVERAGE_MAX = 1_000;
/** Of the notional: recorded accounts state their amounts alike to 1e-10. */
const STATEMENT_TOLERANCE = 0.01;
const ENTRY_TOLERANCE = 0.05;

/** What an account says of how it holds its collateral; one that never chose holds it as its spot side shows. */
export type StatedMode = AccountMode | "unset";

const STATED_MODES: Readonly<Record<string, StatedMode>> = {
  unifiedAccount: "unified",
  portfolioMargin: "portfolio_margin",
  disabled: "standard",
  default: "unset",
  dexAbstraction: "standard",
};

/** clearinghouseState. One unreadable field fails the whole: an account without a position of it would look safer. */
export function parsePerpAccount(value: unknown): Parsed<PerpAccount> {
  const reader = new FieldReader();
  const state = reader.record(value, "clearinghouseState");
  const cross = reader.record(state["crossMarginSummary"], "crossMarginSummary");
  const read = reader
    .list(state["assetPositions"], "assetPositions")
    .map((row, i) => readPosition(reader, row, `assetPositions[${String(i)}]`))
    .filter((one) => one !== null);
  const names = new Set(read.map(({ position }) => position.ticker));
  if (names.size < read.length) reader.fail("mismatch", "assetPositions", "two of one asset");
  let signedNotionalUsd = 0;
  let notionalUsd = 0;
  let maintenanceMaxUsd = 0;
  for (const one of read) {
    if (one.position.marginMode === "isolated") continue;
    signedNotionalUsd += one.signedNotionalUsd;
    notionalUsd += Math.abs(one.signedNotionalUsd);
    maintenanceMaxUsd += one.maintenanceMaxUsd;
  }
  const rawUsd = readUsd(reader, cross["totalRawUsd"], "crossMarginSummary.totalRawUsd");
  const valueUsd = readUsd(reader, cross["accountValue"], "crossMarginSummary.accountValue");
  const maintenanceUsd = reader.nonNegative(
    state["crossMaintenanceMarginUsed"],
    "crossMaintenanceMarginUsed",
  );
  const cash = lowerOf(rawUsd, valueUsd - signedNotionalUsd, notionalUsd);
  const isMaintenanceKnown = maintenanceUsd <= (1 + STATEMENT_TOLERANCE) * maintenanceMaxUsd + 1;
  return reader.finish({
    crossCashUsd: cash.usd,
    crossMaintenanceMarginUsd: isMaintenanceKnown ? maintenanceUsd : maintenanceMaxUsd,
    crossSignedNotionalUsd: signedNotionalUsd,
    positions: read.map(({ position }) => position),
    isConsistent: cash.isAgreed && isMaintenanceKnown && read.every((one) => one.isConsistent),
    exchangeTimeMs: reader.positiveCount(state["time"], "time"),
  });
}

/** A spotClearinghouseState answer; of USDC that it does not name among what is available nothing is. */
export function parseSpotAccount(value: unknown): Parsed<SpotAccount> {
  const reader = new FieldReader();
  const state = reader.record(value, "spotClearinghouseState");
  const balances = reader.list(state["balances"], "balances").map((row) => reader.record(row, "balances"));
  const available = state["tokenToAvailableAfterMaintenance"];
  const pairs = available === undefined || available === null ? [] : reader.list(available, "available");
  const usdc = pairs.map((row) => reader.list(row, "available")).find(([token]) => token === USDC_TOKEN);
  const availableUsd = usdc === undefined ? 0 : readUsd(reader, usdc[1], "available[1]");
  const isHeld = (total: unknown): boolean => reader.decimal(total, "balances.total") !== 0;
  return reader.finish({
    isEmpty: pairs.length === 0 && !balances.some((balance) => isHeld(balance["total"])),
    availableAfterMaintenanceUsd: pairs.length === 0 ? null : availableUsd,
  });
}

/** A name not known yet is "unknown", not an error; of an account that never chose null was recorded, too. */
export function parseAccountMode(value: unknown): Parsed<StatedMode> {
  const reader = new FieldReader();
  const name = value === null ? "default" : reader.text(value, "userAbstraction");
  return reader.finish(Object.hasOwn(STATED_MODES, name) ? (STATED_MODES[name] ?? "unknown") : "unknown");
}

/** What an address is: that of an agent (API) wallet, or one that an account can be behind. */
export type WalletRole = "agent" | "account";

/** userRole: whether the address is an agent (API) wallet's; any other role is an account. */
export function parseWalletRole(value: unknown): Parsed<WalletRole> {
  const reader = new FieldReader();
  const { role } = reader.record(value, "userRole");
  return reader.finish(reader.text(role, "userRole.role") === "agent" ? "agent" : "account");
}

/**
 * The wallet's effective taker fee as a fraction of notional. Its rate has the volume tier and the staking discount in it,
 * but not the referral's: a recorded wallet of rate 0.00045 and discount 0.04 paid 0.000432 on all of its fills.
 */
export function parseTakerFeeFraction(value: unknown): Parsed<number> {
  const reader = new FieldReader();
  const fees = reader.record(value, "userFees");
  const rate = reader.nonNegative(fees["userCrossRate"], "userCrossRate");
  if (rate > TAKER_FEE_MAX) reader.fail("mismatch", "userCrossRate", rate);
  const discount = reader.decimalOrNull(fees["activeReferralDiscount"], "activeReferralDiscount") ?? 0;
  if (discount < 0 || discount > 1) reader.fail("mismatch", "activeReferralDiscount", discount);
  return reader.finish(rate * (1 - discount));
}

/** Null where both its size and its value say that nothing is held any more. */
function readPosition(reader: FieldReader, row: unknown, path: string): ReadPosition | null {
  const wire = reader.record(reader.record(row, path)["position"], `${path}.position`);
  const sizeBase = reader.decimal(wire["szi"], `${path}.szi`);
  const notionalUsd = reader.nonNegative(wire["positionValue"], `${path}.positionValue`);
  if (sizeBase === 0 && notionalUsd === 0) return null;
  const entryPrice = reader.positive(wire["entryPx"], `${path}.entryPx`);
  const largest = Math.max(Math.abs(sizeBase), entryPrice, Math.abs(sizeBase) * entryPrice, notionalUsd);
  const smallest = Math.min(Math.abs(sizeBase), entryPrice);
  if (isBeyondMarket(smallest, largest)) reader.fail("mismatch", path, wire["szi"]);
  const liquidation = reader.decimalOrNull(wire["liquidationPx"], `${path}.liquidationPx`);
  const profitUsd = reader.decimalOrNull(wire["unrealizedPnl"], `${path}.unrealizedPnl`);
  const signedNotionalUsd = Math.sign(sizeBase) * notionalUsd;
  const leverage = readLeverage(reader, wire, signedNotionalUsd, path);
  return {
    position: {
      ticker: tickerOf(reader.text(wire["coin"], `${path}.coin`)),
      sizeBase,
      entryPrice,
      marginMode: leverage.marginMode,
      leverage: leverage.leverage,
      isolatedCashUsd: leverage.isolatedCashUsd,
      reportedLiquidationPrice: liquidation !== null && liquidation > 0 ? liquidation : null,
    },
    signedNotionalUsd,
    maintenanceMaxUsd: maintenanceMaxUsdOf(wire["maxLeverage"], notionalUsd),
    isConsistent: leverage.isConsistent && isProfitOfSize(profitUsd, sizeBase, entryPrice, notionalUsd),
  };
}

/**
 * Half of a position's notional over its highest leverage is the most that the rules ask for, since what it tells is the
 * leverage of its tier, or a higher one that it kept (src/DECISIONS.md 290); twice that is let pass. Half of the notional
 * where no leverage is told, or one of 1.
 */
function maintenanceMaxUsdOf(maxLeverage: unknown, notionalUsd: number): number {
  return notionalUsd / Math.max(2, typeof maxLeverage === "number" ? maxLeverage : 1);
}

function readLeverage(reader: FieldReader, wire: WireRecord, signedNotionalUsd: number, path: string) {
  const wireLeverage = reader.record(wire["leverage"], `${path}.leverage`);
  const type = reader.text(wireLeverage["type"], `${path}.leverage.type`);
  const leverage = reader.positiveCount(wireLeverage["value"], `${path}.leverage.value`);
  if (leverage > LEVERAGE_MAX) reader.fail("mismatch", `${path}.leverage.value`, leverage);
  if (type !== "isolated") {
    if (type !== "cross") reader.fail("wrong_type", `${path}.leverage.type`, type);
    const marginMode: MarginMode = "cross";
    return { marginMode, leverage, isolatedCashUsd: null, isConsistent: true };
  }
  const marginMode: MarginMode = "isolated";
  const rawUsd = readUsd(reader, wireLeverage["rawUsd"], `${path}.leverage.rawUsd`);
  const equityUsd = readUsd(reader, wire["marginUsed"], `${path}.marginUsed`);
  const cash = lowerOf(rawUsd, equityUsd - signedNotionalUsd, Math.abs(signedNotionalUsd));
  return { marginMode, leverage, isolatedCashUsd: cash.usd, isConsistent: cash.isAgreed };
}

/** Whether the profit is that of so many coins; where none is told nothing speaks against it. */
function isProfitOfSize(
  profitUsd: number | null,
  sizeBase: number,
  entryPrice: number,
  notionalUsd: number,
): boolean {
  const entryUsd = Math.abs(sizeBase) * entryPrice;
  const expectedUsd = Math.sign(sizeBase) * (notionalUsd - entryUsd);
  // The entry price is rounded: of the cheapest coins it has two digits.
  const toleranceUsd = ENTRY_TOLERANCE * Math.max(notionalUsd, entryUsd) + 1;
  return profitUsd === null || Math.abs(profitUsd - expectedUsd) <= toleranceUsd;
}

function readUsd(reader: FieldReader, value: unknown, path: string): number {
  const usd = reader.decimal(value, path);
  if (Math.abs(usd) > MARKET_USD_MAX) reader.fail("mismatch", path, value);
  return usd;
}

/** An amount as it is stated in two ways; the first where they agree. */
function lowerOf(usd: number, otherUsd: number, notionalUsd: number): { usd: number; isAgreed: boolean } {
  const isAgreed = Math.abs(usd - otherUsd) <= STATEMENT_TOLERANCE * notionalUsd + 1;
  return { usd: isAgreed ? usd : Math.min(usd, otherUsd), isAgreed };
}
