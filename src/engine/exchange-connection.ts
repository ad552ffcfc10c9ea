import { ConfigError } from "../config.ts";
import { causeText } from "../domain/cause-text.ts";
import type { WalletSource } from "../domain/wallet-source.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { HyperliquidExchange } from "../exchange/hyperliquid/hyperliquid-exchange.ts";
import { HyperliquidWallets } from "../exchange/hyperliquid/hyperliquid-wallets.ts";
import type { Outage } from "../exchange/hyperliquid/outage-watch.ts";
import { NetworkTransport } from "../exchange/hyperliquid/network-transport.ts";
import type { HyperliquidTransport } from "../exchange/hyperliquid/transport.ts";
import { openReplay } from "../exchange/replay/open-replay.ts";
import { ReplayTransport } from "../exchange/replay/replay-transport.ts";

/** How to reach the exchange; plain data, so that every thread can be told. */
export type ExchangeConnection =
  | {
      readonly kind: "network";
      readonly infoUrl: string;
      readonly wsUrl: string;
      /** What the address may spend in a minute; the exchange allows 1200. */
      readonly weightPerMinute: number;
      /** Its time passes as ours does, and is ours where both clocks are right. */
      readonly isRealTime: boolean;
    }
  | { readonly kind: "replay"; readonly directory: string; readonly speedFactor: number };

/**
 * The exchange counts weight per address, and two threads spend it: market data and wallets each get a fixed share,
 * so that the limit holds by construction.
 */
const WALLET_WEIGHT_SHARE = 0.45;
/** A replay has no limit to keep. */
const REPLAY_WEIGHT_PER_MINUTE = 1e9;

/** The market side, for the engine. Errors: ConfigError when a replay's directory holds nothing to play. */
export async function openMarket(connection: ExchangeConnection): Promise<Exchange> {
  return new HyperliquidExchange({
    transport: await openTransport(connection),
    weightPerMinute: Math.floor(weightOf(connection) * (1 - WALLET_WEIGHT_SHARE)),
  });
}

/** The account side, for the gateway; it says when reads begin to fail and when they succeed again. */
export async function openWallets(
  connection: ExchangeConnection,
  onOutage: (outage: Outage) => void,
): Promise<WalletSource> {
  return new HyperliquidWallets({
    onOutage,
    transport: await openTransport(connection),
    weightPerMinute: Math.floor(weightOf(connection) * WALLET_WEIGHT_SHARE),
  });
}

function weightOf(connection: ExchangeConnection): number {
  return connection.kind === "network" ? connection.weightPerMinute : REPLAY_WEIGHT_PER_MINUTE;
}

async function openTransport(connection: ExchangeConnection): Promise<HyperliquidTransport> {
  if (connection.kind === "network") return new NetworkTransport(connection);
  const source = await openReplay(connection.directory).catch((cause: unknown) => {
    throw new ConfigError(`BREAKWATER_EXCHANGE names what cannot be replayed: ${causeText(cause)}`);
  });
  if (source === undefined) {
    throw new ConfigError(
      `BREAKWATER_EXCHANGE names nothing to replay: ${connection.directory} holds neither a recording from which assets can be read nor recorded market data`,
    );
  }
  return new ReplayTransport(source, { speed: connection.speedFactor });
}
