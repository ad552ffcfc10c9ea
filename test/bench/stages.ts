import type { WalletState } from "../../src/domain/account.ts";
import { tickerOf } from "../../src/domain/ids.ts";
import type { ProposedTrade } from "../../src/domain/trade.ts";
import { parseTradeRequest } from "../../src/handlers/trade-request.ts";
import { KeyRing, storedKeyOf } from "../../src/http/key-ring.ts";
import { jsonWithLatency } from "../../src/response/json-text.ts";
import { validateBody } from "../../src/response/validate-body.ts";
import { assess } from "../../src/risk/assess.ts";
import { CALIBRATION_HASH } from "../../src/risk/calibration-hash.ts";
import type { LiveState } from "./live-state.ts";
import { measure, type Row } from "./measure.ts";

const KEY = "a-key-of-forty-three-characters-as-issued-xx";

/** What each step of a validate call costs on one thread, without sockets. */
export function stageRows(live: LiveState): Row[] {
  const { snapshots, scenarios } = live;
  const asset = snapshots.assetOf("ETH")!;
  const none = live.wallets.get("cash-only")!;
  const request = JSON.stringify({
    asset: "ETH",
    action: "long",
    size: 25_000,
    leverage: 10,
    wallet: none.wallet,
  });
  const ring = new KeyRing([storedKeyOf("bench", KEY)], 1_000_000);
  const trade = (account: WalletState, options: Partial<ProposedTrade> = {}): ProposedTrade => ({
    ticker: tickerOf("ETH"),
    action: "long",
    notionalUsd: 25_000,
    leverage: 10,
    wallet: account.wallet,
    marginMode: "cross",
    wantsMonteCarlo: false,
    wantsExplanation: false,
    ...options,
  });
  const assessed = (account: WalletState, options?: Partial<ProposedTrade>) =>
    assess({
      trade: trade(account, options),
      asset,
      account,
      viewOf: (ticker) => snapshots.assetOf(ticker),
      scenarios,
      isMarketStale: false,
      isWalletStale: false,
    });
  const facts = {
    ticker: tickerOf("ETH"),
    requestId: "00000000-0000-4000-8000-000000000000",
    latencyMs: 0,
    modelVersion: { engine_version: "0.0.0", calibration_hash: CALIBRATION_HASH },
  };
  const calm = assessed(none);
  const calmBody = validateBody(calm, facts);
  const parsedBody: unknown = JSON.parse(request);
  const listingOf = (name: string) => snapshots.assetOf(name)?.listing;
  const whole = (account: WalletState, options?: Partial<ProposedTrade>) => () =>
    jsonWithLatency(validateBody(assessed(account, options), facts), () => 0.1);
  return [
    measure("key and rate limit", () => ring.find(KEY)!.window.accept(performance.now())),
    measure("JSON.parse", () => JSON.parse(request) as unknown),
    measure("schema and rules", () => parseTradeRequest(parsedBody, listingOf)),
    measure("assess, no position", () => assessed(none)),
    measure("encode to the contract", () => validateBody(calm, facts)),
    measure("render JSON text", () => jsonWithLatency(calmBody, () => 0.1)),
    measure("assess to text, no position", whole(none)),
    measure("assess to text, 1 position", whole(live.wallets.get("one-long")!)),
    measure("assess to text, 12 positions", whole(live.wallets.get("many-positions")!)),
    measure("assess to text, no position, monte_carlo", whole(none, { wantsMonteCarlo: true })),
    measure("assess to text, no position, explain", whole(none, { wantsExplanation: true })),
  ];
}
