import type { WireFill, WireLiquidation } from "../exchange/hyperliquid/wire-feed.ts";
import { hashHex, hashOfText, mixHash } from "./noise.ts";
import { roundPrice, wireNumber, wireRounded } from "./price-grid.ts";
import type { FundingPayment } from "./wallet-account.ts";

const EVENTS_MAX = 2000;

/** Something a user channel tells about a wallet, in order. */
export type WalletEvent =
  | { readonly kind: "fill"; readonly fill: WireFill }
  | { readonly kind: "funding"; readonly payments: readonly FundingPayment[] }
  | { readonly kind: "liquidation"; readonly liquidation: WireLiquidation };

/** A wallet's events, the newest kept; readers hold a position that stays valid when old ones are dropped. */
export class WalletJournal {
  readonly #events: WalletEvent[] = [];
  #dropped = 0;

  get end(): number {
    return this.#dropped + this.#events.length;
  }

  append(event: WalletEvent): void {
    this.#events.push(event);
    if (this.#events.length <= EVENTS_MAX) return;
    this.#events.splice(0, EVENTS_MAX / 2);
    this.#dropped += EVENTS_MAX / 2;
  }

  since(position: number): readonly WalletEvent[] {
    return this.#events.slice(Math.max(0, position - this.#dropped));
  }

  /** Fills, newest first. */
  fills(): readonly WireFill[] {
    return this.#events.flatMap((event) => (event.kind === "fill" ? [event.fill] : [])).reverse();
  }
}

interface FilledTrade {
  readonly coin: string;
  readonly szDecimals: number;
  readonly startPosition: number;
  /** Signed change of the position. */
  readonly change: number;
  readonly price: number;
  readonly timeMs: number;
  readonly closedPnlUsd: number;
  readonly feeUsd: number;
}

/** A fill as the exchange sends it; ids follow from the number given. */
export function wireFill(trade: FilledTrade, id: number): WireFill {
  const { coin, szDecimals, startPosition, change } = trade;
  const isOpening = startPosition === 0;
  const isLong = isOpening ? change > 0 : startPosition > 0;
  return {
    coin,
    px: wireNumber(roundPrice(trade.price, szDecimals)),
    sz: wireNumber(Math.abs(change)),
    side: change > 0 ? "B" : "A",
    time: trade.timeMs,
    startPosition: wireNumber(startPosition),
    dir: `${isOpening ? "Open" : "Close"} ${isLong ? "Long" : "Short"}`,
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
