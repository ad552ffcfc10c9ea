import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ExchangeFailure } from "../../domain/errors.ts";
import { type WalletAddress, walletAddressOf } from "../../domain/ids.ts";
import { isRecord } from "../../domain/json-value.ts";
import type { Result } from "../../domain/result.ts";
import { err, ok } from "../../domain/result.ts";
import type { WireRecord } from "../hyperliquid/field-reader.ts";
import type { InfoRequest } from "../hyperliquid/transport.ts";
import { jsonOfFile } from "./recorded-file.ts";

/** A recorded account that can be asked for under an address of ours; the real addresses were not recorded. */
export interface RecordedWallet {
  readonly address: WalletAddress;
  readonly file: string;
  /** The account's collateral lies in a spot state that was not recorded. */
  readonly hasHiddenCollateral: boolean;
}

/** 34 cross positions of 13 M USD, three and one BTC position of unified accounts without their spot side, and nothing. */
const ACCOUNTS = [
  ["a1", "clearinghouseState_whale.json", false],
  ["a2", "clearinghouseState_small.json", true],
  ["a3", "clearinghouseState_BTC1pos_20260925.json", true],
  ["a4", "clearinghouseState_empty_mainnet.json", false],
] as const;

/** The recorded accounts and the addresses that answer for them. */
export function recordedWallets(): readonly RecordedWallet[] {
  return ACCOUNTS.map(([suffix, file, hasHiddenCollateral]) => {
    return { address: walletAddressOf(`0x${suffix.padStart(40, "0")}`)!, file, hasHiddenCollateral };
  });
}

const ZERO_SUMMARY = { accountValue: "0.0", totalNtlPos: "0.0", totalRawUsd: "0.0", totalMarginUsed: "0.0" };
const EMPTY_ACCOUNT = {
  marginSummary: ZERO_SUMMARY,
  crossMarginSummary: ZERO_SUMMARY,
  crossMaintenanceMarginUsed: "0.0",
  withdrawable: "0.0",
  assetPositions: [],
};

/** Answers the wallet requests out of the recorded accounts; an address that is none of them is an empty account. */
export class RecordedWallets {
  readonly #states = new Map<string, WireRecord>();
  readonly #hidden = new Set<string>();
  readonly #fees: unknown;

  constructor(fixturesDirectory: string, feesFile: string | undefined) {
    for (const wallet of recordedWallets()) {
      const path = join(fixturesDirectory, wallet.file);
      if (!existsSync(path)) continue;
      const state = jsonOfFile(path);
      if (isRecord(state)) this.#states.set(wallet.address, state);
      if (wallet.hasHiddenCollateral) this.#hidden.add(wallet.address);
    }
    this.#fees = feesFile === undefined ? undefined : jsonOfFile(join(fixturesDirectory, feesFile));
  }

  /** Undefined for a request that is not about a wallet. Accounts are answered as if read now. */
  answer(body: InfoRequest, nowMs: number): Result<unknown, ExchangeFailure> | undefined {
    const user = String(body["user"]).toLowerCase();
    switch (body.type) {
      case "clearinghouseState":
        return ok({ ...(this.#states.get(user) ?? EMPTY_ACCOUNT), time: Math.floor(nowMs) });
      case "spotClearinghouseState":
        return this.#hidden.has(user)
          ? err({ code: "refused", detail: "the account's spot state was not recorded" })
          : ok({ balances: [] });
      case "userAbstraction":
        return ok(this.#hidden.has(user) ? "unifiedAccount" : "default");
      case "userRole":
        return ok({ role: this.#states.has(user) ? "user" : "missing" });
      case "userFees":
        return this.#fees === undefined
          ? err({ code: "refused", detail: "no user fees were recorded" })
          : ok(this.#fees);
      default:
        return undefined;
    }
  }
}

/** What the exchange says of a wallet that it does not know: an empty account, not an error. Undefined for other requests. */
export function emptyAccountAnswer(body: InfoRequest, nowMs: number): unknown {
  switch (body.type) {
    case "clearinghouseState":
      return { ...EMPTY_ACCOUNT, time: Math.floor(nowMs) };
    case "spotClearinghouseState":
      return { balances: [] };
    case "userAbstraction":
      return "default";
    case "userRole":
      return { role: "missing" };
    default:
      return undefined;
  }
}
