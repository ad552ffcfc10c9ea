import type { WalletState } from "../../src/domain/account.ts";
import type { ExchangeFailure } from "../../src/domain/errors.ts";
import { err, ok } from "../../src/domain/result.ts";
import { LateAnswers } from "../../src/handlers/late-answers.ts";
import { SlicedWork } from "../../src/handlers/sliced-work.ts";
import type { AssessmentDeps } from "../../src/handlers/trade-assessment.ts";
import type { AssetView } from "../../src/risk/asset-view.ts";
import { AnswerMemory } from "../../src/response/answer-memory.ts";
import { createSizingMemory } from "../../src/risk/sizing/sizing-memory.ts";
import { type AssetSnapshot, buildSnapshot } from "../../src/snapshot/asset-snapshot.ts";
import type { Readiness } from "../../src/snapshot/engine-status.ts";
import { SnapshotStore } from "../../src/snapshot/snapshot-store.ts";
import { WALLET_STORE_DEFAULTS, WalletStore } from "../../src/snapshot/wallet-store.ts";
import { BTC, ETH, NOW_MS } from "./builders.ts";
import { assetView, SOL, TEST_SCENARIOS } from "./market.ts";

export interface HandlerWorld {
  /** What the exchange says of the wallet. */
  readonly account: WalletState | ExchangeFailure;
  readonly views?: readonly AssetView[];
  readonly snapshot?: Partial<AssetSnapshot>;
  readonly readiness?: Readiness;
  readonly hasScenarios?: boolean;
}

export const LIVE_VIEWS: readonly AssetView[] = [BTC, ETH, SOL].map((ticker) => assetView(ticker));

/** A gateway's reading side around a built world: real stores, a wallet source that knows one account. */
export function handlerDeps(world: HandlerWorld): AssessmentDeps {
  const { account, views = LIVE_VIEWS, readiness = "ready", hasScenarios = true } = world;
  const snapshots = new SnapshotStore();
  views.forEach((view, i) => {
    const snapshot = buildSnapshot(view, {
      lifecycle: "live",
      sequence: i,
      publishedAtMs: NOW_MS,
      bookArrivedAtMs: NOW_MS - 100,
      sheetDay: null,
    });
    snapshots.accept({ type: "asset.published", snapshot: { ...snapshot, ...world.snapshot } });
  });
  snapshots.accept({
    type: "status.published",
    status: {
      readiness,
      isFeedConnected: true,
      lastMessageAtMs: NOW_MS,
      publishedAtMs: NOW_MS,
      assets: {
        listed: 0,
        warming: 0,
        live: views.length,
        stale: 0,
        delisted: 0,
        withoutModel: 0,
        closeOnly: 0,
      },
      counts: { refitsDone: 0, refitsFailed: 0 },
    },
  });
  const clock = { nowMs: () => NOW_MS };
  const wallets = new WalletStore({
    ...WALLET_STORE_DEFAULTS,
    clock,
    steadyClock: clock,
    source: {
      fetchWallet: (wallet) =>
        Promise.resolve(
          "code" in account
            ? err(account)
            : ok({ ...account, wallet, arrivedAtMs: NOW_MS, exchangeTimeMs: NOW_MS }),
        ),
      watchWallets: () => undefined,
      confirmedAtMs: () => null,
      close: () => Promise.resolve(),
    },
  });
  return {
    snapshots,
    wallets,
    clock,
    scenarios: () => (hasScenarios ? TEST_SCENARIOS : null),
    sizings: createSizingMemory(),
    answers: new AnswerMemory(),
    modelVersion: { engine_version: "0.0.0", calibration_hash: "0".repeat(64) },
    slices: new SlicedWork(),
    onDefect: (_, cause) => {
      throw cause;
    },
    lateAnswers: new LateAnswers(() => performance.now()),
  };
}
