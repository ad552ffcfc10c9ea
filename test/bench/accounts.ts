import type { ValidateRequest } from "../../src/contracts/generated/types.ts";
import type { Position, WalletState } from "../../src/domain/account.ts";
import { mostTraded } from "../../src/domain/asset.ts";
import { walletAddressOf, type WalletAddress } from "../../src/domain/ids.ts";
import type { WalletSource } from "../../src/domain/wallet-source.ts";
import type { AssetSnapshot } from "../../src/snapshot/asset-snapshot.ts";
import { LateAnswers } from "../../src/handlers/late-answers.ts";
import { SlicedWork } from "../../src/handlers/sliced-work.ts";
import type { AssessmentDeps } from "../../src/handlers/trade-assessment.ts";
import { CALIBRATION_HASH } from "../../src/risk/calibration/calibration-hash.ts";
import type { AnswerMemory } from "../../src/response/answer-memory.ts";
import { createSizingMemory } from "../../src/risk/sizing/sizing-memory.ts";
import { WALLET_STORE_DEFAULTS, WalletStore } from "../../src/snapshot/wallet-store.ts";
import type { LiveState } from "./live-state.ts";

export const TRADED_ASSET = "ETH";
const MIXED_COUNT = 97;
const MIXED_ASSETS_MAX = 5;

/** Orders of either side in assets that are held, of 5,000 to 125,000 USD, no two after each other alike. */
export function mixedOrders({ positions, wallet }: WalletState): readonly ValidateRequest[] {
  const assets = positions.slice(0, MIXED_ASSETS_MAX).map(({ ticker }) => ticker);
  return Array.from({ length: MIXED_COUNT }, (_, i) => ({
    asset: assets[i % assets.length]!,
    action: (7 * i) % 13 < 6 ? "short" : "long",
    size: 5_000 * 25 ** (((37 * i) % MIXED_COUNT) / MIXED_COUNT),
    leverage: 10,
    wallet,
  }));
}

/** The address of the account with so many positions. */
export function addressOf(number: number): WalletAddress {
  return walletAddressOf(`0x${number.toString(16).padStart(40, "0")}`)!;
}

/** So many wallets of the same positions, at the addresses from a number on. */
export function copiesOf(account: WalletState, count: number, from: number): readonly WalletState[] {
  return Array.from({ length: count }, (_, i) => ({
    ...account,
    wallet: addressOf(from + i),
    positions: account.positions.map((position) => ({ ...position })),
  }));
}

/** A cross account with positions in the most traded assets, two of three long, at equity of half their notional. */
export function accountWith(positionCount: number, live: LiveState): WalletState {
  const positions = heldAssets(live.snapshots.assets(), positionCount).map(positionIn);
  const cashOf = ({ sizeBase, entryPrice }: Position): number =>
    (sizeBase > 0 ? -0.5 : 1.5) * Math.abs(sizeBase) * entryPrice;
  const crossCashUsd = positions.reduce((cash, position) => cash + cashOf(position), 50_000);
  return accountOf(addressOf(positionCount), crossCashUsd, positions, live);
}

/** The same positions, each on a margin of its own that a day's move may use up, beside free cash. */
export function isolatedAccountWith(positionCount: number, live: LiveState): WalletState {
  const positions = heldAssets(live.snapshots.assets(), positionCount).map((asset, i): Position => {
    const position = positionIn(asset, i);
    const valueUsd = position.sizeBase * position.entryPrice;
    const isolatedCashUsd = Math.abs(valueUsd) / 10 - valueUsd;
    return { ...position, marginMode: "isolated", leverage: 10, isolatedCashUsd };
  });
  return accountOf(addressOf(1_000 + positionCount), 50_000, positions, live);
}

/** The most traded asset that an account holds nothing of. */
export function unheldAsset({ positions }: WalletState, live: LiveState): string {
  const assets = heldAssets(live.snapshots.assets(), positions.length + 1);
  return assets.find(({ listing }) => positions.every(({ ticker }) => ticker !== listing.ticker))!.listing
    .ticker;
}

function accountOf(
  wallet: WalletAddress,
  crossCashUsd: number,
  positions: readonly Position[],
  { clock }: LiveState,
): WalletState {
  return {
    wallet,
    mode: "standard",
    crossCashUsd,
    isCollateralKnown: true,
    positions,
    takerFeeFraction: 0.00045,
    exchangeTimeMs: clock.nowMs(),
    arrivedAtMs: clock.nowMs(),
  };
}

function heldAssets(assets: readonly AssetSnapshot[], count: number): readonly AssetSnapshot[] {
  const usable = assets.filter(
    ({ lifecycle, listing, sheetRow }) =>
      lifecycle === "live" && !listing.isIsolatedOnly && sheetRow !== null,
  );
  if (usable.length < count) throw new Error(`only ${usable.length} assets can be held`);
  return mostTraded(usable, count);
}

function positionIn({ listing, context }: AssetSnapshot, index: number): Position {
  const direction = index % 3 === 2 ? -1 : 1;
  return {
    ticker: listing.ticker,
    sizeBase: (direction * 10_000 * (1 + (index % 4))) / context.markPrice,
    entryPrice: context.markPrice,
    marginMode: "cross",
    leverage: Math.min(5, listing.maxLeverage),
    isolatedCashUsd: null,
    reportedLiquidationPrice: null,
  };
}

/** Gives these accounts at once and for ever fresh: the benchmark is of what is done with them. */
function sourceOf(accounts: readonly WalletState[]): WalletSource {
  const byWallet = new Map(accounts.map((account) => [account.wallet, account]));
  return {
    fetchWallet: (wallet) => Promise.resolve({ ok: true, value: byWallet.get(wallet)! }),
    watchWallets: () => undefined,
    confirmedAtMs: () => null,
    close: () => Promise.resolve(),
  };
}

/** What the handlers read, with these accounts warm; without a memory of answers each is computed. */
export async function assessmentDeps(
  { snapshots, scenarios, clock }: LiveState,
  accounts: readonly WalletState[],
  answers: AnswerMemory | null,
): Promise<AssessmentDeps> {
  const walletsMax = Math.max(accounts.length, WALLET_STORE_DEFAULTS.walletsMax);
  const wallets = new WalletStore({
    ...WALLET_STORE_DEFAULTS,
    walletsMax,
    source: sourceOf(accounts),
    clock,
    steadyClock: clock,
  });
  for (const { wallet } of accounts) await wallets.load(wallet);
  const modelVersion = { engine_version: "0.0.0", calibration_hash: CALIBRATION_HASH };
  return {
    snapshots,
    wallets,
    clock,
    scenarios: () => scenarios,
    sizings: createSizingMemory(),
    answers,
    modelVersion,
    slices: new SlicedWork(),
    onDefect: (_, cause) => {
      throw cause;
    },
    lateAnswers: new LateAnswers(() => performance.now()),
  };
}
