import type { WalletAddress } from "../../domain/ids.ts";
import type { PerpAccount, SpotAccount } from "./parse-account.ts";
import type { AccountFrame } from "./parse-frame.ts";

/** An account is read beside its streams when one of them brings nothing for this long. */
const QUIET_MS_MAX = 45_000;
/** How long other frames vouch for a side that neither its own stream nor a read has confirmed. */
const VOUCHED_MS_MAX = 60_000;
/** A read that fails is repeated no sooner. */
const READ_RETRY_MS = 5_000;
/** A missing mode or fee is asked for again no sooner, however many frames come. */
const PROFILE_RETRY_MS = 10_000;

/** Both sides of an account. */
export interface WholeAccount {
  readonly perp: PerpAccount;
  readonly spot: SpotAccount;
  /** When a frame of either last came, or a read that agrees. */
  readonly arrivedAtMs: number;
}

/** One side of an account, and when its own stream or a read last told of it. */
interface Told<T> {
  readonly side: T;
  readonly atMs: number;
}

interface StreamedAccount {
  perp: Told<PerpAccount> | null;
  spot: Told<SpotAccount> | null;
  /** By the exchange's time, the newest perpetual side that was read. */
  readTimeMs: number;
  readAtMs: number;
  profileAskedAtMs: number;
}

/**
 * What one socket's streams brought of the accounts that it follows, and as of when each may be vouched for. A frame of
 * any is a sign of life for all, because nothing is sent of an account that does not trade; for a minute only, because
 * a single subscription can end without a word.
 */
export class StreamedAccounts {
  readonly #accounts = new Map<WalletAddress, StreamedAccount>();
  #heardAtMs = 0;

  /** Replaces the set that is followed. Returns those that are new in it. */
  follow(wallets: ReadonlySet<WalletAddress>): readonly WalletAddress[] {
    for (const wallet of this.#accounts.keys()) if (!wallets.has(wallet)) this.#accounts.delete(wallet);
    const added = [...wallets].filter((wallet) => !this.#accounts.has(wallet));
    for (const wallet of added) {
      this.#accounts.set(wallet, {
        perp: null,
        spot: null,
        readTimeMs: -Infinity,
        readAtMs: -Infinity,
        profileAskedAtMs: -Infinity,
      });
    }
    return added;
  }

  /** The socket is lost: what was brought says nothing any more. */
  clear(): void {
    for (const account of this.#accounts.values()) account.perp = account.spot = null;
  }

  take(frame: AccountFrame, nowMs: number): void {
    this.#heardAtMs = nowMs;
    const account = this.#accounts.get(frame.wallet);
    if (account === undefined) return;
    if (frame.type === "perp_account") account.perp = told(frame.account, nowMs);
    else account.spot = told(frame.account, nowMs);
  }

  /** Null of an account that is not followed, or of which a side is missing. */
  wholeOf(wallet: WalletAddress): WholeAccount | null {
    const { perp = null, spot = null } = this.#accounts.get(wallet) ?? {};
    if (perp === null || spot === null) return null;
    return { perp: perp.side, spot: spot.side, arrivedAtMs: Math.max(perp.atMs, spot.atMs) };
  }

  /** As of when a whole account is known to be as it was brought; null of any other. */
  confirmedAtMs(wallet: WalletAddress): number | null {
    const account = this.#accounts.get(wallet);
    const toldAtMs = account === undefined ? null : bothToldAtMs(account);
    return toldAtMs === null ? null : Math.min(this.#heardAtMs, toldAtMs + VOUCHED_MS_MAX);
  }

  /** Whether an account's mode and fee may be asked for now; if so, they count as asked for. */
  takeProfileTurn(wallet: WalletAddress, nowMs: number): boolean {
    const account = this.#accounts.get(wallet);
    if (account === undefined || nowMs - account.profileAskedAtMs < PROFILE_RETRY_MS) return false;
    account.profileAskedAtMs = nowMs;
    return true;
  }

  /**
   * The whole accounts that are to be read now: those of which a side was told nothing for long; and those whose perpetual
   * side was told of as it was before a read, beside which what the other side's stream brings would count as older, too.
   */
  takeQuiet(nowMs: number): readonly WalletAddress[] {
    const quiet: WalletAddress[] = [];
    for (const [wallet, account] of this.#accounts) {
      const toldAtMs = bothToldAtMs(account);
      if (toldAtMs === null) continue;
      const isBehind = account.perp !== null && account.perp.side.exchangeTimeMs < account.readTimeMs;
      if (!isBehind && nowMs - toldAtMs < QUIET_MS_MAX) continue;
      if (nowMs - account.readAtMs < READ_RETRY_MS) continue;
      account.readAtMs = nowMs;
      quiet.push(wallet);
    }
    return quiet;
  }

  /**
   * Takes what was read of a whole account for what its streams did not tell since. Positions that they should have told of
   * show that the stream is lost: the account is then not whole until it brings them.
   */
  takeRead(wallet: WalletAddress, perp: PerpAccount, spot: SpotAccount, askedAtMs: number): void {
    const account = this.#accounts.get(wallet);
    if (account === undefined) return;
    account.readTimeMs = Math.max(account.readTimeMs, perp.exchangeTimeMs);
    if (account.perp === null || account.spot === null) return;
    if (account.spot.atMs <= askedAtMs) account.spot = told(spot, askedAtMs);
    if (account.perp.atMs > askedAtMs) return;
    account.perp = holdsTheSame(account.perp.side, perp) ? told(perp, askedAtMs) : null;
  }
}

function told<T>(side: T | null, atMs: number): Told<T> | null {
  return side === null ? null : { side, atMs };
}

function bothToldAtMs({ perp, spot }: StreamedAccount): number | null {
  return perp === null || spot === null ? null : Math.min(perp.atMs, spot.atMs);
}

function holdsTheSame(streamed: PerpAccount, read: PerpAccount): boolean {
  return (
    streamed.positions.length === read.positions.length &&
    read.positions.every(({ ticker, sizeBase }) =>
      streamed.positions.some((known) => known.ticker === ticker && known.sizeBase === sizeBase),
    )
  );
}
