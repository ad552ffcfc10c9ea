import { roundTo, wireNumber, wireRounded } from "./price-grid.ts";
import { takeFrom } from "./simulated-book.ts";
import {
  type AccountPosition,
  positionMaintenance,
  positionNotional,
  type WalletAccount,
} from "./wallet-account.ts";
import { wireFill, type WalletJournal } from "./wallet-journal.ts";

/** Source: exchange docs, "Liquidations". */
const PARTIAL_ABOVE_USD = 100_000;
const PARTIAL_SHARE = 0.2;
const COOLDOWN_MS = 30_000;
const BACKSTOP_SHARE = 2 / 3;
const LIQUIDATOR = "0x2e3d94f0562703b25c83308a05046ddaf9a8dd14";

/**
 * Equity below maintenance: market orders on the book, a fifth of a position above 100,000 USD, all of it during the
 * 30 s after such a part. Equity below two thirds of maintenance: the liquidator takes position and margin at the mark.
 */
export class LiquidationEngine {
  #nextId = 1_000_000;

  /** Isolated positions one by one, then the cross account as a whole. */
  check(account: WalletAccount, journal: WalletJournal, timeMs: number): void {
    for (const position of [...account.positions.values()]) {
      if (!position.isIsolated) continue;
      const equityUsd = account.isolatedEquity(position);
      if (equityUsd >= positionMaintenance(position)) continue;
      this.#liquidate(account, journal, [position], equityUsd, positionMaintenance(position), timeMs);
    }
    const cross = [...account.positions.values()].filter((position) => !position.isIsolated);
    if (cross.length === 0 || !account.isCrossLiquidatable) return;
    const { accountValueUsd, maintenanceUsd } = account.crossMargin;
    this.#liquidate(account, journal, cross, accountValueUsd, maintenanceUsd, timeMs);
  }

  #liquidate(
    account: WalletAccount,
    journal: WalletJournal,
    positions: readonly AccountPosition[],
    equityUsd: number,
    maintenanceUsd: number,
    timeMs: number,
  ): void {
    account.liquidatedMs ??= timeMs;
    const notionalUsd = positions.reduce((sum, position) => sum + positionNotional(position), 0);
    journal.append({
      kind: "liquidation",
      liquidation: {
        lid: 88_000_000 + this.#nextId++,
        liquidator: LIQUIDATOR,
        liquidated_user: account.plan.address,
        liquidated_ntl_pos: wireRounded(notionalUsd, 6),
        liquidated_account_value: wireRounded(equityUsd, 6),
      },
    });
    if (equityUsd < BACKSTOP_SHARE * maintenanceUsd) {
      for (const position of positions) this.#backstop(account, journal, position, timeMs);
      return;
    }
    const isCoolingDown = timeMs < account.cooldownUntilMs;
    // The largest position first; the rest is spared once the account is healthy again.
    for (const position of [...positions].sort((a, b) => positionNotional(b) - positionNotional(a))) {
      this.#closeOnBook(account, journal, position, isCoolingDown, timeMs);
      if (!position.isIsolated && !account.isCrossLiquidatable) return;
    }
  }

  #closeOnBook(
    account: WalletAccount,
    journal: WalletJournal,
    position: AccountPosition,
    isCoolingDown: boolean,
    timeMs: number,
  ): void {
    const { book, spec } = position.asset;
    const size = Math.abs(position.sizeSigned);
    const isPart = !isCoolingDown && positionNotional(position) > PARTIAL_ABOVE_USD;
    const wanted = isPart ? roundTo(size * PARTIAL_SHARE, spec.szDecimals) : size;
    const { filledBase, averagePrice } = takeFrom(position.sizeSigned > 0 ? book.bids : book.asks, wanted);
    const filled = roundTo(filledBase, spec.szDecimals);
    if (isPart || filled < wanted) account.cooldownUntilMs = timeMs + COOLDOWN_MS;
    if (filled > 0) this.#fill(account, journal, position, filled, averagePrice, timeMs, "market");
  }

  #backstop(account: WalletAccount, journal: WalletJournal, position: AccountPosition, timeMs: number): void {
    const { markPrice } = position.asset;
    if (position.isIsolated) position.isolatedRawUsd = -position.sizeSigned * markPrice;
    this.#fill(account, journal, position, Math.abs(position.sizeSigned), markPrice, timeMs, "backstop");
    const hasCross = [...account.positions.values()].some((other) => !other.isIsolated);
    if (!position.isIsolated && !hasCross) account.crossRawUsd -= account.crossMargin.accountValueUsd;
  }

  #fill(
    account: WalletAccount,
    journal: WalletJournal,
    position: AccountPosition,
    sizeBase: number,
    price: number,
    timeMs: number,
    method: "market" | "backstop",
  ): void {
    const { coin, szDecimals } = position.asset.spec;
    const startPosition = position.sizeSigned;
    const closedPnlUsd = account.reduce(position, sizeBase, price);
    const change = -Math.sign(startPosition) * sizeBase;
    const trade = { coin, szDecimals, startPosition, change, price, timeMs, closedPnlUsd, feeUsd: 0 };
    const markPx = wireNumber(position.asset.markPrice);
    const liquidation = { liquidatedUser: account.plan.address, markPx, method };
    journal.append({ kind: "fill", fill: { ...wireFill(trade, this.#nextId++), liquidation } });
  }
}
