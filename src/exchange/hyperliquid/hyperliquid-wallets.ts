import { LRUCache } from "lru-cache";
import type { AccountMode, WalletState } from "../../domain/account.ts";
import { type ExchangeFailure, IS_TRANSIENT } from "../../domain/errors.ts";
import type { WalletAddress } from "../../domain/ids.ts";
import type { Result } from "../../domain/result.ts";
import { ok } from "../../domain/result.ts";
import { SharedCalls } from "../../domain/shared-calls.ts";
import type { WalletSource } from "../../domain/wallet-source.ts";
import { ConnectProbe } from "./connect-probe.ts";
import type { Parsed } from "./field-reader.ts";
import { InfoClient } from "./info-client.ts";
import type { PerpAccount, SpotAccount } from "./parse-account.ts";
import {
  parseAccountMode,
  parsePerpAccount,
  parseSpotAccount,
  parseTakerFeeFraction,
} from "./parse-account.ts";
import type { FeedFrame } from "./parse-frame.ts";
import { type Outage, OutageWatch } from "./outage-watch.ts";
import { SocketSession } from "./socket-session.ts";
import { StreamedAccounts } from "./streamed-accounts.ts";
import { planWallet, STREAMED_USERS_MAX } from "./subscriptions.ts";
import type { Timers, Uniform } from "./timers.ts";
import { SYSTEM_TIMERS } from "./timers.ts";
import type { HyperliquidTransport } from "./transport.ts";
import { assembleWallet } from "./wallet-assembly.ts";
import type { BudgetPriority } from "./weight-budget.ts";
import {
  SUBSCRIBE_PACE,
  WALLET_CONNECTS,
  WALLET_MESSAGES,
  WALLET_RETRY_MS_MAX,
  WeightBudget,
} from "./weight-budget.ts";

export interface HyperliquidWalletsOptions {
  readonly transport: HyperliquidTransport;
  /** This thread's share of the exchange's 1200 weight a minute. */
  readonly weightPerMinute: number;
  readonly timers?: Timers;
  readonly uniform?: Uniform;
  /** Told once when reads begin to fail and once when they succeed again. */
  readonly onOutage?: (outage: Outage) => void;
}

/** A wallet's mode and fee change rarely: the fee with its 14-day volume, once a day. */
const PROFILE_TTL_MS = 3_600_000;
/** A fee that is refused or makes no sense is asked for again after this: it costs five times what a state costs. */
const FEE_REFUSED_TTL_MS = 600_000;
const PROFILES_MAX = 50_000;
const STATE_WEIGHT = 2;
const PROFILE_WEIGHT = 20;
/** A request waits for a cold wallet, so one slow read is repeated once and no longer. */
const PATIENCE = { timeoutMs: 2_500, attemptsMax: 2, budgetWaitMsMax: 1_500 };
/** No exchange sends account frames to an account that does not trade; only pongs prove the socket alive. */
const SILENCE_MS_MAX = null;

type Read<T> = Result<T, ExchangeFailure>;

/** Account states of Hyperliquid wallets: read on demand, streamed for the few that the exchange allows. */
export class HyperliquidWallets implements WalletSource {
  readonly #transport: HyperliquidTransport;
  readonly #timers: Timers;
  readonly #info: InfoClient;
  readonly #outages: OutageWatch;
  readonly #session: SocketSession;
  readonly #modes: LRUCache<WalletAddress, AccountMode>;
  readonly #fees: LRUCache<WalletAddress, number>;
  readonly #refusedFees: LRUCache<WalletAddress, true>;
  readonly #modeCalls = new SharedCalls<WalletAddress, AccountMode>();
  readonly #feeCalls = new SharedCalls<WalletAddress, void>();
  readonly #streamed = new StreamedAccounts();
  #onState: (state: WalletState) => void = () => undefined;
  #isClosed = false;

  constructor(options: HyperliquidWalletsOptions) {
    const { transport, timers = SYSTEM_TIMERS, uniform = Math.random } = options;
    this.#transport = transport;
    this.#timers = timers;
    this.#outages = new OutageWatch(timers, options.onOutage ?? (() => undefined));
    const budget = new WeightBudget([{ capacity: options.weightPerMinute, windowMs: 60_000 }], timers);
    this.#info = new InfoClient({ transport, budget, timers, uniform }, PATIENCE);
    const cache = { max: PROFILES_MAX, ttl: PROFILE_TTL_MS, perf: { now: () => timers.nowMs() } };
    this.#modes = new LRUCache(cache);
    // A fee is used on while it is asked for again; a mode is not, because it decides what an account is worth.
    this.#fees = new LRUCache({ ...cache, allowStale: true, noDeleteOnStaleGet: true });
    this.#refusedFees = new LRUCache({ ...cache, ttl: FEE_REFUSED_TTL_MS });
    const connects = new WeightBudget([WALLET_CONNECTS], timers);
    const messages = new WeightBudget([WALLET_MESSAGES, SUBSCRIBE_PACE], timers);
    const probe = new ConnectProbe();
    const retryMsMax = WALLET_RETRY_MS_MAX;
    const deps = { transport, timers, uniform, connects, retryMsMax, probe, messages };
    this.#session = new SocketSession(deps, SILENCE_MS_MAX, {
      onFrame: (frame) => {
        this.#received(frame);
      },
      onRejected: () => undefined,
      onRestored: () => undefined,
      onLost: () => {
        this.#streamed.clear();
      },
    });
  }

  /**
   * The fee is not waited for: it is null until it is known, because a request can do without it. The mode, five times
   * as dear as all the rest, is asked for only where there is spot collateral for it to count.
   */
  async fetchWallet(wallet: WalletAddress): Promise<Result<WalletState, ExchangeFailure>> {
    void this.#fetchFee(wallet);
    const [perp, spot] = await this.#readSides(wallet);
    if (!perp.ok) return perp;
    const isModeIrrelevant = spot.ok && spot.value.isEmpty && !this.#modes.has(wallet);
    const mode = isModeIrrelevant ? "standard" : await this.#fetchMode(wallet);
    return ok(
      assembleWallet({
        wallet,
        perp: perp.value,
        spot: spot.ok ? spot.value : null,
        mode,
        takerFeeFraction: this.#fees.get(wallet) ?? null,
        arrivedAtMs: this.#timers.nowMs(),
      }),
    );
  }

  watchWallets(wallets: readonly WalletAddress[], onState: (state: WalletState) => void): void {
    const watched = new Set(wallets.slice(0, STREAMED_USERS_MAX));
    this.#onState = onState;
    for (const wallet of this.#streamed.follow(watched)) this.#askForProfile(wallet);
    this.#session.want([...watched].flatMap(planWallet));
  }

  confirmedAtMs(wallet: WalletAddress): number | null {
    return this.#modes.has(wallet) ? this.#streamed.confirmedAtMs(wallet) : null;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#session.close();
    await this.#transport.close();
  }

  #received(frame: FeedFrame): void {
    if (frame.type !== "perp_account" && frame.type !== "spot_account") return;
    const nowMs = this.#timers.nowMs();
    this.#streamed.take(frame, nowMs);
    this.#publish(frame.wallet);
    for (const quiet of this.#streamed.takeQuiet(nowMs)) void this.#readQuiet(quiet, nowMs);
  }

  async #readQuiet(wallet: WalletAddress, askedAtMs: number): Promise<void> {
    const [perp, spot] = await this.#readSides(wallet);
    if (!perp.ok || !spot.ok) return;
    this.#streamed.takeRead(wallet, perp.value, spot.value, askedAtMs);
    this.#publish(wallet);
  }

  #readSides(wallet: WalletAddress): Promise<readonly [Read<PerpAccount>, Read<SpotAccount>]> {
    return Promise.all([
      this.#call("clearinghouseState", wallet, STATE_WEIGHT, "live", parsePerpAccount),
      this.#call("spotClearinghouseState", wallet, STATE_WEIGHT, "live", parseSpotAccount),
    ]);
  }

  /** Only whole accounts leave: one without its spot side or its mode would replace a better fetched state. */
  #publish(wallet: WalletAddress): void {
    const whole = this.#streamed.wholeOf(wallet);
    const mode = this.#modes.get(wallet);
    if (whole === null) return;
    this.#askForProfile(wallet);
    if (mode === undefined) return;
    const takerFeeFraction = this.#fees.get(wallet) ?? null;
    this.#onState(assembleWallet({ wallet, ...whole, mode, takerFeeFraction }));
  }

  #askForProfile(wallet: WalletAddress): void {
    if (this.#modes.has(wallet) && this.#fees.has(wallet)) return;
    if (!this.#streamed.takeProfileTurn(wallet, this.#timers.nowMs())) return;
    const asked = [this.#fetchFee(wallet), this.#fetchMode(wallet)];
    for (const answered of asked) void answered.then(() => this.#publish(wallet));
  }

  async #fetchMode(wallet: WalletAddress): Promise<AccountMode> {
    return this.#modes.get(wallet) ?? this.#modeCalls.share(wallet, () => this.#askMode(wallet));
  }

  async #askMode(user: WalletAddress): Promise<AccountMode> {
    const mode = await this.#call("userAbstraction", user, PROFILE_WEIGHT, "live", parseAccountMode);
    if (!mode.ok) return "unknown";
    this.#modes.set(user, mode.value);
    return mode.value;
  }

  async #fetchFee(wallet: WalletAddress): Promise<void> {
    if (this.#fees.has(wallet) || this.#refusedFees.has(wallet)) return;
    await this.#feeCalls.share(wallet, () => this.#askFee(wallet));
  }

  async #askFee(user: WalletAddress): Promise<void> {
    const fee = await this.#call("userFees", user, PROFILE_WEIGHT, "backfill", parseTakerFeeFraction);
    if (fee.ok) this.#fees.set(user, fee.value);
    else if (!IS_TRANSIENT[fee.error.code]) this.#refusedFees.set(user, true);
  }

  async #call<T>(
    type: string,
    user: WalletAddress,
    weight: number,
    priority: BudgetPriority,
    parse: (json: unknown) => Parsed<T>,
  ): Promise<Result<T, ExchangeFailure>> {
    const answer = await this.#info.call({ body: { type, user }, weight, priority, parse });
    // What waits behind everything else is given up for want of budget, too; what a close cuts off is no outage.
    if (priority === "live" && !this.#isClosed) this.#outages.note(answer);
    return answer;
  }
}
