import type { MonitoredAccount } from "../../src/risk/alerts.ts";
import type { WalletState } from "../../src/domain/account.ts";
import { assessAccount } from "../../src/risk/assess-account.ts";
import type { LiquidityRegime } from "../../src/risk/regime/liquidity-regime.ts";
import { NOW_MS, position, WALLET, walletState } from "./builders.ts";
import { assetView, regimeFacts, TEST_SCENARIOS } from "./market.ts";

/** A calm account with one position in BTC, in a market of this regime. */
export function monitoredAccount(
  regime: LiquidityRegime | null = "normal",
  wallet = WALLET,
): MonitoredAccount {
  return monitoredOf({ ...walletState(100_000, [position()]), wallet }, regime);
}

/** An account on the edge of its liquidation: by the defaults everything but funding and regime breaches. */
export function endangeredAccount(): MonitoredAccount {
  return monitoredOf(walletState(300, [position({ sizeBase: 0.2, leverage: 40 })]));
}

/** What a monitor call finds of an account, every asset in a market of this regime. */
export function monitoredOf(
  account: WalletState,
  regime: LiquidityRegime | null = "normal",
): MonitoredAccount {
  const liquidityRegime = regime === null ? null : { ...regimeFacts(), state: regime };
  const assessment = assessAccount({
    account,
    viewOf: (ticker) => assetView(ticker, { liquidityRegime }),
    scenarios: TEST_SCENARIOS,
    isMarketStale: () => false,
    isWalletStale: false,
  });
  return { wallet: account.wallet, assessment, evaluatedAtMs: NOW_MS };
}
