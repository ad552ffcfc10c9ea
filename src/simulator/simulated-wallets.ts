import type { WireFill, WireLiquidation } from "../exchange/hyperliquid/wire-feed.ts";
import type { FundingSettlement } from "./funding-clock.ts";
import { mixHash, hashHex, hashOfText } from "./noise.ts";
import { roundPrice, roundTo, wireNumber, wireRounded } from "./price-grid.ts";
import { takeFrom } from "./simulated-book.ts";
import type { SimulatedMarket } from "./simulated-market.ts";
import {
  type AccountPosition,
  type FundingPayment,
  positionMaintenance,
  positionNotional,
  WalletAccount,
} from "./wallet-account.ts";
import { WALLET_PLANS } from "./wallet-plans.ts";

/** Source: exchange docs, "Liquidations". */
const PARTIAL_ABOVE_USD = 100_000;
const PARTIAL_SHARE = 0.2;
const COOLDOWN_MS = 30_000;
const BACKSTOP_SHARE = 2 / 3;
const LIQUIDATOR = "0x2e3d94f0562703b25c83308a05046ddaf9a8dd14";
/** A liquidated owner that lives on the edge comes back after this long. */
const RETURN_AFTER_MS = 3_600_000;
const EVENTS_MAX = 2000;

/** Something a user channel tells about a wallet, in order. */
export type WalletEvent =
  | { readonly kind: "fill"; readonly fill: WireFill }
  | { readonly kind: "funding"; readonly payments: readonly FundingPayment[] }
  | { readonly kind: "liquidation"; readonly liquidation: WireLiquidation };

export interface WalletJournal {
  readonly events: WalletEvent[];
  /** Events that were dropped from the front, so that a reader's position stays valid. */
  dropped: number;
}

type LiquidationMethod = "market" | "backstop";

/** All wallets the exchange knows: funding at each settlement, margin checks at each mark. */
export class SimulatedWallets {
  readonly #market: SimulatedMarket;
  readonly #accounts: ReadonlyMap<string, WalletAccount>;
  readonly #journals = new Map<string, WalletJournal>();
  #nextId = 1;

  constructor(market: SimulatedMarket) {
    this.#market = market;
    this.#accounts = new Map(WALLET_PLANS.map((plan) => [plan.address, new WalletAccount(plan)]));
    for (const account of this.#accounts.values()) {
      this.#journals.set(account.plan.address, { events: [], dropped: 0 });
      account.open((coin) => market.assetOf(coin), market.nowMs);
      for (const position of account.positions.values()) this.#recordOpening(account, position);
    }
  }

  /** The account of an address in any letter case. */
  accountOf(address: string): WalletAccount | undefined {
    return this.#accounts.get(address.toLowerCase());
  }

  journalOf(address: string): WalletJournal | undefined {
    return this.#journals.get(address.toLowerCase());
  }

  fillsOf(address: string): readonly WireFill[] {
    const events = this.journalOf(address)?.events ?? [];
    return events.flatMap((event) => (event.kind === "fill" ? [event.fill] : [])).reverse();
  }

  all(): Iterable<WalletAccount> {
    return this.#accounts.values();
  }

  settleFunding(timeMs: number, settlements: ReadonlyMap<string, FundingSettlement>): void {
    for (const account of this.#accounts.values()) {
      const payments = account.payFunding(timeMs, (coin) => settlements.get(coin)?.rateHourly);
      if (payments.length > 0) this.#append(account, { kind: "funding", payments });
      if (account.liquidatedMs !== undefined && timeMs - account.liquidatedMs >= RETURN_AFTER_MS) {
        account.open((coin) => this.#market.assetOf(coin), timeMs);
      } else if (account.liquidatedMs === undefined) {
        account.rebalance();
      }
    }
  }

  /** Equity below maintenance is liquidated: the cross account as a whole, isolated positions one by one. */
  checkMargins(timeMs: number): void {
    for (const account of this.#accounts.values()) {
      for (const position of [...account.positions.values()]) {
        if (!position.isIsolated) continue;
        const equityUsd = account.isolatedEquity(position);
        this.#liquidate(account, [position], equityUsd, positionMaintenance(position), timeMs);
      }
      const cross = [...account.positions.values()].filter((position) => !position.isIsolated);
      if (cross.length === 0) continue;
      const { accountValueUsd, maintenanceUsd } = account.crossMargin;
      this.#liquidate(account, cross, accountValueUsd, maintenanceUsd, timeMs);
    }
  }

  #liquidate(
    account: WalletAccount,
    positions: readonly AccountPosition[],
    equityUsd: number,
    maintenanceUsd: number,
    timeMs: number,
  ): void {
    if (equityUsd >= maintenanceUsd) return;
    account.liquidatedMs ??= timeMs;
    if (equityUsd < BACKSTOP_SHARE * maintenanceUsd) {
      this.#announce(account, positions, equityUsd);
      for (const position of positions) this.#backstop(account, position, timeMs);
      return;
    }
    if (timeMs < account.cooldownUntilMs) return;
    this.#announce(account, positions, equityUsd);
    // The largest position first; a healthy remainder ends it.
    for (const position of [...positions].sort((a, b) => positionNotional(b) - positionNotional(a))) {
      this.#closeOnBook(account, position, timeMs);
      if (account.cooldownUntilMs > timeMs) return;
      const { accountValueUsd, maintenanceUsd: left } = account.crossMargin;
      if (!position.isIsolated && accountValueUsd >= left) return;
    }
  }

  /** A market order for the position, a fifth of it when it is large and no cooldown has just ended. */
  #closeOnBook(account: WalletAccount, position: AccountPosition, timeMs: number): void {
    const { asset } = position;
    const size = Math.abs(position.sizeSigned);
    const isPartial = positionNotional(position) > PARTIAL_ABOVE_USD && account.cooldownUntilMs === 0;
    const wanted = isPartial ? roundTo(size * PARTIAL_SHARE, asset.spec.szDecimals) : size;
    const { filledBase, averagePrice } = takeFrom(
      position.sizeSigned > 0 ? asset.book.bids : asset.book.asks,
      wanted,
    );
    account.cooldownUntilMs = isPartial || filledBase < wanted ? timeMs + COOLDOWN_MS : 0;
    if (filledBase > 0)
      this.#fill(
        account,
        position,
        roundTo(filledBase, asset.spec.szDecimals),
        averagePrice,
        timeMs,
        "market",
      );
  }

  /** The liquidator takes the position at the mark with all of its margin; what maintenance was left is lost. */
  #backstop(account: WalletAccount, position: AccountPosition, timeMs: number): void {
    const { isIsolated } = position;
    if (isIsolated) position.isolatedRawUsd = -position.sizeSigned * position.asset.markPrice;
    this.#fill(
      account,
      position,
      Math.abs(position.sizeSigned),
      position.asset.markPrice,
      timeMs,
      "backstop",
    );
    account.cooldownUntilMs = 0;
    const crossLeft = [...account.positions.values()].some((other) => !other.isIsolated);
    if (!isIsolated && !crossLeft) account.crossRawUsd = 0;
  }

  #announce(account: WalletAccount, positions: readonly AccountPosition[], equityUsd: number): void {
    const notionalUsd = positions.reduce((sum, position) => sum + positionNotional(position), 0);
    const liquidation: WireLiquidation = {
      lid: 88_000_000 + this.#nextId++,
      liquidator: LIQUIDATOR,
      liquidated_user: account.plan.address,
      liquidated_ntl_pos: wireRounded(notionalUsd, 6),
      liquidated_account_value: wireRounded(equityUsd, 6),
    };
    this.#append(account, { kind: "liquidation", liquidation });
  }

  #fill(
    account: WalletAccount,
    position: AccountPosition,
    sizeBase: number,
    price: number,
    timeMs: number,
    method: LiquidationMethod,
  ): void {
    const startPosition = position.sizeSigned;
    const closedPnlUsd = account.reduce(position, sizeBase, price);
    const liquidation = {
      liquidatedUser: account.plan.address,
      markPx: wireNumber(position.asset.markPrice),
      method,
    };
    const fill = this.#wireFill(position, {
      startPosition,
      change: -Math.sign(startPosition) * sizeBase,
      price,
      timeMs,
      closedPnlUsd,
      feeUsd: 0,
    });
    this.#append(account, { kind: "fill", fill: { ...fill, liquidation } });
  }

  #recordOpening(account: WalletAccount, position: AccountPosition): void {
    const { sizeSigned, entryPrice, openedMs } = position;
    const feeUsd = 0.00045 * Math.abs(sizeSigned) * entryPrice;
    const fill = this.#wireFill(position, {
      startPosition: 0,
      change: sizeSigned,
      price: entryPrice,
      timeMs: openedMs,
      closedPnlUsd: 0,
      feeUsd,
    });
    this.#append(account, { kind: "fill", fill });
  }

  #wireFill(
    position: AccountPosition,
    trade: {
      startPosition: number;
      change: number;
      price: number;
      timeMs: number;
      closedPnlUsd: number;
      feeUsd: number;
    },
  ): WireFill {
    const id = this.#nextId++;
    const { szDecimals, coin } = position.asset.spec;
    const isLong = trade.startPosition > 0 || (trade.startPosition === 0 && trade.change > 0);
    return {
      coin,
      px: wireNumber(roundPrice(trade.price, szDecimals)),
      sz: wireNumber(Math.abs(trade.change)),
      side: trade.change > 0 ? "B" : "A",
      time: trade.timeMs,
      startPosition: wireNumber(trade.startPosition),
      dir: `${trade.startPosition === 0 ? "Open" : "Close"} ${isLong ? "Long" : "Short"}`,
      closedPnl: wireRounded(trade.closedPnlUsd, 6),
      hash: hashHex(hashOfText(coin), id, 32),
      oid: 412_000_000_000 + id,
      crossed: true,
      fee: wireRounded(trade.feeUsd, 6),
      tid: 734_000_000_000_000 + ((mixHash(id, 7) >>> 0) % 1_000_000_000) * 1000,
      feeToken: "USDC",
      twapId: null,
    };
  }

  #append(account: WalletAccount, event: WalletEvent): void {
    const journal = this.#journals.get(account.plan.address);
    if (journal === undefined) return;
    journal.events.push(event);
    if (journal.events.length <= EVENTS_MAX) return;
    journal.events.splice(0, EVENTS_MAX / 2);
    journal.dropped += EVENTS_MAX / 2;
  }
}
