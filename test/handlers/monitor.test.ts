import { describe, expect, it } from "vitest";
import type { Position } from "../../src/domain/account.ts";
import { tickerOf } from "../../src/domain/ids.ts";
import { ok } from "../../src/domain/result.ts";
import { handleAssetBacktest } from "../../src/handlers/asset-backtest.ts";
import { handleMonitor, type MonitorDeps } from "../../src/handlers/monitor.ts";
import type { AccountAssessment } from "../../src/risk/assess-account.ts";
import type { WalletReading } from "../../src/snapshot/wallet-store.ts";
import { NOW_MS, position, WALLET, walletState } from "../support/builders.ts";
import { handlerDeps, type HandlerWorld } from "../support/handler-deps.ts";

const HELD = [position({ sizeBase: 0.01 })];

/** A book that arrived so long before now, of which 10 s are fresh and 60 s are usable. */
const bookAgedMs = (ageMs: number): Pick<HandlerWorld, "snapshot"> => ({
  snapshot: { bookArrivedAtMs: NOW_MS - ageMs },
});

async function monitoredOf(
  world: Partial<HandlerWorld> = {},
  positions: readonly Position[] = HELD,
  reading: Partial<WalletReading> = {},
): Promise<AccountAssessment> {
  const state = walletState(100_000, positions);
  const told: AccountAssessment[] = [];
  const deps: MonitorDeps = {
    ...handlerDeps({ account: state, ...world }),
    wallets: {
      peek: () => undefined,
      load: () => Promise.resolve(ok({ state, ageMs: 0, isStale: false, ...reading })),
      lastKnown: () => null,
      isAnswerable: () => false,
    },
    onMonitored: ({ wallet, assessment, evaluatedAtMs }) => {
      expect([wallet, evaluatedAtMs]).toEqual([WALLET, NOW_MS]);
      told.push(assessment);
    },
  };
  const answer = await handleMonitor(WALLET, deps);
  if (!answer.ok) throw new Error(answer.error.code);
  expect(told).toEqual([answer.value.assessment]);
  return answer.value.assessment;
}

describe("handleMonitor", () => {
  it("says of each position whether its market is stale, however old it is", async () => {
    for (const [ageMs, isStale] of [
      [1_000, false],
      [20_000, true],
      [600_000, true],
    ] as const) {
      const { positions } = await monitoredOf(bookAgedMs(ageMs));

      expect(positions[0]!.score.flags.includes("stale_market_data")).toBe(isStale);
      expect(positions[0]!.score.recommendation).toBe(isStale ? "proceed_with_caution" : "proceed");
    }
  });

  it("says that the wallet's state is stale, of assets it knows and of those it does not", async () => {
    const unknown = position({ ticker: tickerOf("NOPE"), sizeBase: 1, entryPrice: 3 });
    const fresh = await monitoredOf({}, [...HELD, unknown]);
    const stale = await monitoredOf({}, [...HELD, unknown], { isStale: true });

    const flagged = ({ positions }: AccountAssessment) =>
      positions.map(({ score }) => score.flags.includes("stale_wallet_state"));
    expect(flagged(fresh)).toEqual([false, false]);
    expect(flagged(stale)).toEqual([true, true]);
  });

  it("says what is not known of an account that has no position to say so", async () => {
    const unread = { ...walletState(0), mode: "unified", isCollateralKnown: false } as const;
    const flagsOf = async (reading: Partial<WalletReading>) => (await monitoredOf({}, [], reading)).flags;

    expect(await flagsOf({})).toEqual([]);
    expect(await flagsOf({ state: unread })).toEqual(["collateral_unknown"]);
    expect(await flagsOf({ isStale: true })).toEqual(["stale_wallet_state"]);
    expect(await flagsOf({ state: unread, isStale: true })).toEqual([
      "stale_wallet_state",
      "collateral_unknown",
    ]);
  });

  it("knows the collateral that an account's liquidation price gives away", async () => {
    const told = position({ sizeBase: 0.01, reportedLiquidationPrice: 90_000 });
    const account = (held: Position) => ({ state: { ...walletState(0, [held]), isCollateralKnown: false } });

    expect((await monitoredOf({}, [told], account(told))).flags).toEqual([]);
    expect((await monitoredOf({}, HELD, account(HELD[0]!))).flags).toEqual(["collateral_unknown"]);
  });
});

describe("a wallet that handleMonitor cannot answer for", () => {
  const untold: Pick<MonitorDeps, "onMonitored"> = {
    onMonitored: () => {
      throw new Error("nothing was monitored");
    },
  };

  it("is refused when it is no address", () => {
    const deps = { ...handlerDeps({ account: walletState() }), ...untold };

    expect(handleMonitor("0x12", deps)).toEqual({
      ok: false,
      error: { code: "invalid_wallet", wallet: "0x12" },
    });
  });

  it("is asked to come again while the service is starting: most of what it holds may not be listed yet", () => {
    const deps = { ...handlerDeps({ account: walletState(), views: [], readiness: "starting" }), ...untold };

    expect(handleMonitor(WALLET, deps)).toMatchObject({ ok: false, error: { code: "starting_up" } });
  });

  it.each([
    ["timeout", "the exchange did not give the wallet's state in time"],
    ["unreachable", "the exchange did not give the wallet's state"],
  ] as const)("is not answered when reading it fails with %s", async (code, detail) => {
    const deps = { ...handlerDeps({ account: { code, detail: "as told" } }), ...untold };

    expect(await handleMonitor(WALLET, deps)).toEqual({
      ok: false,
      error: { code: code === "timeout" ? "timeout" : "upstream_failed", detail },
    });
  });
});

describe("handleAssetBacktest", () => {
  it("waits until the service is ready, and does not call an asset unknown that is not listed yet", () => {
    const { snapshots } = handlerDeps({ account: walletState(), views: [], readiness: "starting" });

    expect(handleAssetBacktest("BTC", snapshots, NOW_MS)).toMatchObject({ error: { code: "starting_up" } });
  });
});
