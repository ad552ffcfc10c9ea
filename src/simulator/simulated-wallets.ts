import type { WireFill } from "../exchange/hyperliquid/wire-feed.ts";
import type { FundingSettlement } from "./funding-clock.ts";
import { LiquidationEngine } from "./liquidation-engine.ts";
import type { MarketListener, SimulatedMarket } from "./simulated-market.ts";
import { WalletAccount } from "./wallet-account.ts";
import { WalletJournal, wireFill } from "./wallet-journal.ts";
import { WALLET_PLANS } from "./wallet-plans.ts";

/** A liquidated owner starts over as planned after this long, so that every kind of wallet stays on show. */
const RETURN_AFTER_MS = 3_600_000;
const TAKER_FEE = 0.00045;

interface KnownWallet {
  readonly account: WalletAccount;
  readonly journal: WalletJournal;
}

/** All wallets the exchange knows: funding at each settlement, margin checks at each mark. */
export class SimulatedWallets implements MarketListener {
  readonly #market: SimulatedMarket;
  readonly #liquidations = new LiquidationEngine();
  readonly #known: ReadonlyMap<string, KnownWallet>;
  #nextFillId = 1;

  constructor(market: SimulatedMarket) {
    this.#market = market;
    this.#known = new Map(
      WALLET_PLANS.map((plan) => [
        plan.address,
        { account: new WalletAccount(plan), journal: new WalletJournal() },
      ]),
    );
    for (const wallet of this.#known.values()) this.#open(wallet, market.nowMs);
  }

  /** The account of an address in any letter case. */
  accountOf(address: string): WalletAccount | undefined {
    return this.#known.get(address.toLowerCase())?.account;
  }

  journalOf(address: string): WalletJournal | undefined {
    return this.#known.get(address.toLowerCase())?.journal;
  }

  fillsOf(address: string): readonly WireFill[] {
    return this.journalOf(address)?.fills() ?? [];
  }

  *all(): Iterable<WalletAccount> {
    for (const { account } of this.#known.values()) yield account;
  }

  #open({ account, journal }: KnownWallet, timeMs: number): void {
    account.open((coin) => this.#market.assetOf(coin), timeMs);
    for (const { asset, sizeSigned, entryPrice, openedMs } of account.positions.values()) {
      const { coin, szDecimals } = asset.spec;
      const feeUsd = TAKER_FEE * Math.abs(sizeSigned) * entryPrice;
      const opening = { startPosition: 0, change: sizeSigned, price: entryPrice, closedPnlUsd: 0, feeUsd };
      const fill = wireFill({ coin, szDecimals, timeMs: openedMs, ...opening }, this.#nextFillId++);
      journal.append({ kind: "fill", fill });
    }
  }

  oracleTicked(timeMs: number): void {
    for (const { account, journal } of this.#known.values())
      this.#liquidations.check(account, journal, timeMs);
  }

  fundingSettled(timeMs: number, settlements: ReadonlyMap<string, FundingSettlement>): void {
    for (const wallet of this.#known.values()) {
      const { account, journal } = wallet;
      const payments = account.payFunding(timeMs, (coin) => settlements.get(coin)?.rateHourly);
      if (payments.length > 0) journal.append({ kind: "funding", payments });
      if (account.liquidatedMs === undefined) account.rebalance();
      else if (timeMs - account.liquidatedMs >= RETURN_AFTER_MS) this.#open(wallet, timeMs);
    }
  }
}
