import type { WalletState } from "../../domain/account.ts";
import type { ExchangeFailure } from "../../domain/errors.ts";
import type { WalletAddress } from "../../domain/ids.ts";
import { OnwardClock } from "../../domain/onward-clock.ts";
import type { Result } from "../../domain/result.ts";
import { ok } from "../../domain/result.ts";
import type { WalletSource } from "../../domain/wallet-source.ts";
import { ConnectProbe } from "./connect-probe.ts";
import { InfoClient } from "./info-client.ts";
import type { PerpAccount, SpotAccount, StatedMode } from "./parse-account.ts";
import { parsePerpAccount, parseSpotAccount } from "./parse-account.ts";
import type { FeedFrame } from "./parse-frame.ts";
import { type Outage, OutageWatch } from "./outage-watch.ts";
import { SocketSession } from "./socket-session.ts";
import { StreamedAccounts } from "./streamed-accounts.ts";
import { planWallet, STREAMED_USERS_MAX } from "./subscriptions.ts";
import type { Timers, Uniform } from "./timers.ts";
import { SYSTEM_TIMERS } from "./timers.ts";
import type { HyperliquidTransport } from "./transport.ts";
import { assembleWallet, mayHoldNothing, type WalletReadings } from "./wallet-assembly.ts";
import { type WalletCall, WalletProfiles } from "./wallet-profiles.ts";
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

const STATE_CALL = { weight: 2, priority: "live" } as const;
/** A request waits for a cold wallet, so one slow read is repeated once and no longer. */
const PATIENCE = { timeoutMs: 2_500, attemptsMax: 2, budgetWaitMsMax: 1_500 };
/** No exchange sends account frames to an account that does not trade; only pongs prove the socket alive. */
const SILENCE_MS_MAX = null;

type Read<T> = Result<T, ExchangeFailure>;

/** Account states of Hyperliquid wallets: read on demand, streamed for the few that the exchange allows. */
export class HyperliquidWallets implements WalletSource {
  readonly #transport: HyperliquidTransport;
  readonly #clock: OnwardClock;
  readonly #info: InfoClient;
  readonly #outages: OutageWatch;
  readonly #session: SocketSession;
  /** What the session waits for. */
  readonly #paces: readonly WeightBudget[];
  readonly #profiles: WalletProfiles;
  readonly #streamed = new StreamedAccounts();
  #onState: (state: WalletState) => void = () => undefined;
  #isClosed = false;

  constructor(options: HyperliquidWalletsOptions) {
    const { transport, timers: wall = SYSTEM_TIMERS, uniform = Math.random } = options;
    this.#transport = transport;
    // All that waits here for a time lasts longer than the engine's runs, which end when the machine's clock is set back.
    this.#clock = new OnwardClock(wall);
    const timers: Timers = {
      nowMs: () => this.#clock.nowMs(),
      after: (delayMs, callback) => wall.after(delayMs, callback),
    };
    this.#outages = new OutageWatch(timers, options.onOutage ?? (() => undefined));
    const budget = new WeightBudget([{ capacity: options.weightPerMinute, windowMs: 60_000 }], timers);
    this.#info = new InfoClient({ transport, budget, timers, uniform }, PATIENCE);
    this.#profiles = new WalletProfiles(this.#call, timers);
    const connects = new WeightBudget([WALLET_CONNECTS], timers);
    const messages = new WeightBudget([WALLET_MESSAGES, SUBSCRIBE_PACE], timers);
    this.#paces = [connects, messages];
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
   * as dear as all the rest, is asked for only where there is spot collateral for it to count, and the role only of an
   * account that holds nothing as far as is known, which may be an agent's address.
   */
  async fetchWallet(wallet: WalletAddress): Promise<Result<WalletState, ExchangeFailure>> {
    const profiles = this.#profiles;
    void profiles.fetchFee(wallet);
    const [perp, spot] = await this.#readSides(wallet);
    if (!perp.ok) return perp;
    // Whatever else is waited for, the sides age meanwhile.
    const arrivedAtMs = this.#clock.nowMs();
    const sides = { perp: perp.value, spot: spot.ok ? spot.value : null, arrivedAtMs };
    if (sides.spot !== null) profiles.doubtMode(wallet, sides.spot);
    const isModeIrrelevant = sides.spot?.isEmpty === true && !profiles.isModeKnown(wallet);
    const mode = isModeIrrelevant ? "standard" : await profiles.fetchMode(wallet);
    if (mayHoldNothing(sides)) await profiles.fetchRole(wallet);
    return ok(this.#stateOf(wallet, sides, mode));
  }

  watchWallets(wallets: readonly WalletAddress[], onState: (state: WalletState) => void): void {
    const watched = new Set(wallets.slice(0, STREAMED_USERS_MAX));
    this.#onState = onState;
    for (const wallet of this.#streamed.follow(watched)) this.#askForProfile(wallet, false);
    this.#session.want([...watched].flatMap(planWallet));
  }

  confirmedAtMs(wallet: WalletAddress): number | null {
    const confirmedAtMs = this.#profiles.isModeKnown(wallet) ? this.#streamed.confirmedAtMs(wallet) : null;
    return confirmedAtMs === null ? null : this.#clock.wallMsOf(confirmedAtMs);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#session.close();
    for (const pace of this.#paces) pace.close();
    this.#info.close();
    await this.#transport.close();
  }

  #received(frame: FeedFrame): void {
    if (frame.type !== "perp_account" && frame.type !== "spot_account") return;
    const nowMs = this.#clock.nowMs();
    this.#streamed.take(frame, nowMs);
    this.#publish(frame.wallet);
    for (const quiet of this.#streamed.takeQuiet(nowMs)) void this.#readQuiet(quiet);
  }

  async #readQuiet(wallet: WalletAddress): Promise<void> {
    const [perp, spot] = await this.#readSides(wallet);
    if (perp.ok && spot.ok) this.#publish(wallet);
  }

  /**
   * What is read of a wallet counts for its streams, whoever asked: beside an older perpetual side, the next frame of the
   * spot side would be older than the state that was read, and be dropped.
   */
  async #readSides(wallet: WalletAddress): Promise<readonly [Read<PerpAccount>, Read<SpotAccount>]> {
    const askedAtMs = this.#clock.nowMs();
    const [perp, spot] = await Promise.all([
      this.#call("clearinghouseState", wallet, { ...STATE_CALL, parse: parsePerpAccount }),
      this.#call("spotClearinghouseState", wallet, { ...STATE_CALL, parse: parseSpotAccount }),
    ]);
    if (perp.ok && spot.ok) this.#streamed.takeRead(wallet, perp.value, spot.value, askedAtMs);
    return [perp, spot];
  }

  /** Only whole accounts leave: one without its spot side or its mode would replace a better fetched state. */
  #publish(wallet: WalletAddress): void {
    const whole = this.#streamed.wholeOf(wallet);
    if (whole === null) return;
    this.#profiles.doubtMode(wallet, whole.spot);
    const mode = this.#profiles.knownMode(wallet);
    this.#askForProfile(wallet, mayHoldNothing(whole));
    if (mode !== undefined) this.#onState(this.#stateOf(wallet, whole, mode));
  }

  #stateOf(
    wallet: WalletAddress,
    read: Pick<WalletReadings, "perp" | "spot" | "arrivedAtMs">,
    mode: StatedMode,
  ): WalletState {
    return assembleWallet({
      wallet,
      ...read,
      arrivedAtMs: this.#clock.wallMsOf(read.arrivedAtMs),
      mode: mayHoldNothing(read) ? this.#modeOfEmpty(wallet, mode) : mode,
      takerFeeFraction: this.#profiles.takerFeeFraction(wallet),
    });
  }

  /** What an address holds that may be an agent's says nothing of the account that is asked about. */
  #modeOfEmpty(wallet: WalletAddress, mode: StatedMode): StatedMode {
    const role = this.#profiles.role(wallet);
    return role === "account" ? mode : role;
  }

  #askForProfile(wallet: WalletAddress, isEmpty: boolean): void {
    const profiles = this.#profiles;
    if (profiles.isComplete(wallet, isEmpty)) return;
    if (!this.#streamed.takeProfileTurn(wallet, this.#clock.nowMs())) return;
    const asked: Promise<unknown>[] = [profiles.fetchFee(wallet), profiles.fetchMode(wallet)];
    if (isEmpty) asked.push(profiles.fetchRole(wallet));
    for (const answered of asked) void answered.then(() => this.#publish(wallet));
  }

  readonly #call: WalletCall = async (type, user, call) => {
    const answer = await this.#info.call({ body: { type, user }, ...call });
    // What waits behind everything else is given up for want of budget, too; what a close cuts off is no outage.
    if (call.priority === "live" && !this.#isClosed) this.#outages.note(answer);
    return answer;
  };
}
