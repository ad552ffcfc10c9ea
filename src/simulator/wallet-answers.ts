import { err, ok, type Result } from "../domain/result.ts";
import { wireUserFees } from "./fee-schedule.ts";
import {
  dexOf,
  FUNDING_ROWS_MAX,
  type InfoAnswer,
  type InfoFailure,
  type InfoRequest,
  type InfoWorld,
  timeWindow,
} from "./info-answers.ts";
import type { WalletAccount } from "./wallet-account.ts";
import {
  wireActiveAssetData,
  wireClearinghouseState,
  wireFunding,
  wireSpotState,
  wireUserRole,
} from "./wallet-wire.ts";

const ADDRESS = /^0x[0-9a-f]{40}$/i;
const ZERO_HASH = `0x${"0".repeat(64)}`;
const FILL_ROWS_MAX = 2000;

/** A wallet address in any letter case. */
export const isAddress = (value: unknown): value is `0x${string}` =>
  typeof value === "string" && ADDRESS.test(value);

interface Caller {
  readonly address: `0x${string}`;
  readonly account: WalletAccount | undefined;
  readonly request: InfoRequest;
  readonly world: InfoWorld;
}

/** Reads `user`; an unknown wallet is not an error. */
const forUser =
  (answer: (caller: Caller) => Result<unknown, InfoFailure>): InfoAnswer["answer"] =>
  (request, world) => {
    const { user } = request;
    if (!isAddress(user)) return err("unreadable");
    const address = user.toLowerCase() as `0x${string}`;
    return answer({ address, account: world.wallets.accountOf(address), request, world });
  };

const simple = (answer: (caller: Caller) => unknown): InfoAnswer["answer"] =>
  forUser((caller) => ok(answer(caller)));

const clearinghouseState = forUser(({ account, request, world }) => {
  const dex = dexOf(request);
  return dex.ok ? ok(wireClearinghouseState(account, world.market.nowMs)) : dex;
});

const activeAssetData = forUser(({ address, account, request, world }) => {
  if (typeof request["coin"] !== "string") return err("unreadable");
  const asset = world.market.assetOf(request["coin"]);
  return asset === undefined ? err("unknown_name") : ok(wireActiveAssetData(address, account, asset));
});

const userFunding = forUser(({ account, request }) => {
  const window = timeWindow({ startTime: 0, ...request });
  if (!window.ok) return window;
  const { startMs, endMs } = window.value;
  const rows = (account?.fundings ?? []).filter(({ timeMs }) => timeMs >= startMs && timeMs <= endMs);
  return ok(
    rows.slice(0, FUNDING_ROWS_MAX).map((payment) => {
      const { time, ...delta } = wireFunding(payment);
      return { time, hash: ZERO_HASH, delta: { type: "funding", ...delta } };
    }),
  );
});

const userFillsByTime = forUser(({ address, request, world }) => {
  const window = timeWindow(request);
  if (!window.ok) return window;
  const { startMs, endMs } = window.value;
  const fills = world.wallets.fillsOf(address).filter(({ time }) => time >= startMs && time <= endMs);
  return ok((request["reversed"] === true ? fills : [...fills].reverse()).slice(0, FILL_ROWS_MAX));
});

const rateLimit = {
  cumVlm: "2854574.593578",
  nRequestsUsed: 2890,
  nRequestsCap: 2_864_574,
  nRequestsSurplus: 0,
};

/** Everything the exchange says about wallets. Weights: exchange docs, "Rate limits". */
export const WALLET_ANSWERS: Readonly<Record<string, InfoAnswer>> = {
  clearinghouseState: { weight: 2, answer: clearinghouseState },
  spotClearinghouseState: { weight: 2, answer: simple(({ account }) => wireSpotState(account)) },
  userAbstraction: { weight: 20, answer: simple(({ account }) => account?.plan.abstraction ?? "default") },
  userDexAbstraction: { weight: 20, answer: simple(() => null) },
  userRole: { weight: 60, answer: simple(({ account }) => wireUserRole(account)) },
  userFees: {
    weight: 20,
    answer: simple(({ account, world }) => wireUserFees(account?.plan, world.market.nowMs)),
  },
  userRateLimit: { weight: 20, answer: simple(() => rateLimit) },
  activeAssetData: { weight: 20, answer: activeAssetData },
  userFunding: { weight: 20, rowsPerWeight: 20, answer: userFunding },
  userFills: {
    weight: 20,
    rowsPerWeight: 20,
    answer: simple(({ address, world }) => world.wallets.fillsOf(address).slice(0, FILL_ROWS_MAX)),
  },
  userFillsByTime: { weight: 20, rowsPerWeight: 20, answer: userFillsByTime },
  openOrders: { weight: 20, answer: simple(() => []) },
  frontendOpenOrders: { weight: 20, answer: simple(() => []) },
  historicalOrders: { weight: 20, answer: simple(() => []) },
  orderStatus: { weight: 2, answer: simple(() => ({ status: "unknownOid" })) },
  userNonFundingLedgerUpdates: { weight: 20, answer: simple(() => []) },
  userTwapSliceFills: { weight: 20, answer: simple(() => []) },
  twapHistory: { weight: 20, answer: simple(() => []) },
  userVaultEquities: { weight: 20, answer: simple(() => []) },
  extraAgents: { weight: 20, answer: simple(() => []) },
  subAccounts: { weight: 20, answer: simple(subAccounts) },
};

function subAccounts({ address, world }: Caller): unknown {
  const owned = [...world.wallets.all()].filter(({ plan: { role } }) => {
    return typeof role === "object" && "subAccountOf" in role && role.subAccountOf === address;
  });
  if (owned.length === 0) return null;
  return owned.map((account) => ({
    name: account.plan.label,
    subAccountUser: account.plan.address,
    master: address,
    clearinghouseState: wireClearinghouseState(account, world.market.nowMs),
    spotState: wireSpotState(account),
  }));
}
