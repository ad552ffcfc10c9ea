import { LRUCache } from "lru-cache";
import { type ExchangeFailure, IS_TRANSIENT } from "../../domain/errors.ts";
import type { WalletAddress } from "../../domain/ids.ts";
import type { Result } from "../../domain/result.ts";
import { SharedCalls } from "../../domain/shared-calls.ts";
import type { InfoCall } from "./info-client.ts";
import {
  parseAccountMode,
  parseTakerFeeFraction,
  parseWalletRole,
  type SpotAccount,
  type StatedMode,
  type WalletRole,
} from "./parse-account.ts";
import type { Timers } from "./timers.ts";
import { contradictsMode } from "./wallet-assembly.ts";

/** One question about a wallet. */
export type WalletCall = <T>(
  type: string,
  user: WalletAddress,
  call: Omit<InfoCall<T>, "body">,
) => Promise<Result<T, ExchangeFailure>>;

/** What a profile says changes rarely: the fee with its 14-day volume, once a day. */
const PROFILE_TTL_MS = 3_600_000;
/** A fee or role that is refused or makes no sense is asked for again after this: it costs at least five times what a state costs. */
const REFUSED_TTL_MS = 600_000;
/** A role that was not said in time, or could not be asked for: what is spent on it in an outage others lack. */
const UNSAID_TTL_MS = 60_000;
const PROFILES_MAX = 50_000;
const PROFILE_WEIGHT = 20;
const ROLE_WEIGHT = 60;
/** Whether an empty account is an agent's is asked where weight is left, and does not hold its state up for long. */
const ROLE_PATIENCE = { timeoutMs: 1_000, attemptsMax: 1, budgetWaitMsMax: 0 };

/**
 * What is asked of a wallet beside its state, each for an hour: how it holds its collateral, its taker fee, and of one
 * that holds nothing whether it is an agent (API) wallet.
 *
 * Holds:  at most one question of a kind per wallet at a time; a fee or role that has been refused is not asked for again in ten
 *         minutes, a role that was not said in time not in one; a mode is, because it decides what an account is worth
 */
export class WalletProfiles {
  readonly #call: WalletCall;
  readonly #modes: LRUCache<WalletAddress, StatedMode>;
  readonly #fees: LRUCache<WalletAddress, number>;
  readonly #refusedFees: LRUCache<WalletAddress, true>;
  readonly #roles: LRUCache<WalletAddress, WalletRole | "unknown">;
  readonly #modeCalls = new SharedCalls<WalletAddress, StatedMode>();
  readonly #feeCalls = new SharedCalls<WalletAddress, void>();
  readonly #roleCalls = new SharedCalls<WalletAddress, void>();

  constructor(call: WalletCall, timers: Timers) {
    this.#call = call;
    const cache = { max: PROFILES_MAX, ttl: PROFILE_TTL_MS, perf: { now: () => timers.nowMs() } };
    // Fees and roles are used on while they are asked for again; a mode is not, because it decides what an account is worth.
    const usedOn = { ...cache, allowStale: true, noDeleteOnStaleGet: true };
    this.#modes = new LRUCache(cache);
    this.#fees = new LRUCache(usedOn);
    this.#refusedFees = new LRUCache({ ...cache, ttl: REFUSED_TTL_MS });
    this.#roles = new LRUCache(usedOn);
  }

  /** Whether nothing is left to ask of an account that holds something, or nothing. */
  isComplete(wallet: WalletAddress, isEmpty: boolean): boolean {
    return this.isModeKnown(wallet) && this.#fees.has(wallet) && (!isEmpty || this.#roles.has(wallet));
  }

  /** Asked with each request that reads a wallet: it does not count as a use. */
  isModeKnown(wallet: WalletAddress): boolean {
    return this.#modes.has(wallet);
  }

  knownMode(wallet: WalletAddress): StatedMode | undefined {
    return this.#modes.get(wallet);
  }

  /** Forgets a mode that what was read now contradicts; at most every ten minutes, for it may be said again. */
  doubtMode(wallet: WalletAddress, spot: SpotAccount): void {
    const mode = this.#modes.get(wallet);
    if (mode === undefined || !contradictsMode(spot, mode)) return;
    if (this.#modes.getRemainingTTL(wallet) <= PROFILE_TTL_MS - REFUSED_TTL_MS) this.#modes.delete(wallet);
  }

  takerFeeFraction(wallet: WalletAddress): number | null {
    return this.#fees.get(wallet) ?? null;
  }

  /** "unknown" until the exchange has said it. */
  role(wallet: WalletAddress): WalletRole | "unknown" {
    return this.#roles.get(wallet) ?? "unknown";
  }

  /** "unknown" where the exchange does not say. */
  async fetchMode(wallet: WalletAddress): Promise<StatedMode> {
    return this.#modes.get(wallet) ?? this.#modeCalls.share(wallet, () => this.#askMode(wallet));
  }

  async fetchFee(wallet: WalletAddress): Promise<void> {
    if (this.#fees.has(wallet) || this.#refusedFees.has(wallet)) return;
    await this.#feeCalls.share(wallet, () => this.#askFee(wallet));
  }

  /** Of a wallet that holds nothing. */
  async fetchRole(wallet: WalletAddress): Promise<void> {
    if (this.#roles.has(wallet)) return;
    await this.#roleCalls.share(wallet, () => this.#askRole(wallet));
  }

  async #askMode(wallet: WalletAddress): Promise<StatedMode> {
    const mode = await this.#call("userAbstraction", wallet, {
      weight: PROFILE_WEIGHT,
      priority: "live",
      parse: parseAccountMode,
    });
    if (!mode.ok) return "unknown";
    this.#modes.set(wallet, mode.value);
    return mode.value;
  }

  async #askFee(wallet: WalletAddress): Promise<void> {
    const fee = await this.#call("userFees", wallet, {
      weight: PROFILE_WEIGHT,
      priority: "backfill",
      parse: parseTakerFeeFraction,
    });
    if (fee.ok) this.#fees.set(wallet, fee.value);
    else if (!IS_TRANSIENT[fee.error.code]) this.#refusedFees.set(wallet, true);
  }

  async #askRole(wallet: WalletAddress): Promise<void> {
    const role = await this.#call("userRole", wallet, {
      weight: ROLE_WEIGHT,
      priority: "backfill",
      parse: parseWalletRole,
      patience: ROLE_PATIENCE,
    });
    if (role.ok) this.#roles.set(wallet, role.value);
    else if (role.error.code !== "rate_limited") {
      const ttl = IS_TRANSIENT[role.error.code] ? UNSAID_TTL_MS : REFUSED_TTL_MS;
      this.#roles.set(wallet, this.role(wallet), { ttl });
    }
  }
}
