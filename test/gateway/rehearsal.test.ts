import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AssessmentDeps } from "../../src/handlers/trade-assessment.ts";
import { handleValidate } from "../../src/handlers/validate.ts";
import { madeUpAccount, madeUpTrade } from "../../src/gateway/made-up-trades.ts";
import { rehearseTrades } from "../../src/gateway/rehearsal.ts";
import { createLogger } from "../../src/process/logger.ts";
import { answerJson } from "../../src/response/json-text.ts";
import { assetListing, BTC, ETH, NOW_MS, walletState } from "../support/builders.ts";
import { handlerDeps } from "../support/handler-deps.ts";
import { assetView, SOL } from "../support/market.ts";

vi.mock("../../src/gateway/made-up-trades.ts", { spy: true });
vi.mock("../../src/handlers/validate.ts", { spy: true });
vi.mock("../../src/response/json-text.ts", { spy: true });

// Mutants killed: begun before the engine was ready, or before scenarios; begun at each look; a turn without an end; a
// client's wallets read; one answer more, no rest between turns, a failure not told or followed by another answer, a
// refusal taken for a failure, answers not written, close-only or isolated-only assets asked about.

const logger = createLogger("silent");
const ANSWERS = 300;

describe("rehearseTrades", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout"] });
    // Time stands still, so that a turn is as long as there are answers to make.
    vi.spyOn(performance, "now").mockReturnValue(0);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    vi.mocked(madeUpTrade).mockClear();
    vi.mocked(handleValidate).mockClear();
    vi.mocked(answerJson).mockClear();
  });

  it("answers every made-up trade, and reads no wallet", () => {
    const deps = handlerDeps({ account: walletState() });
    const peek = vi.spyOn(deps.wallets, "peek");
    const load = vi.spyOn(deps.wallets, "load");
    rehearseTrades(deps, logger, ANSWERS);
    vi.advanceTimersByTime(1_000);
    expect(madeUpTrade).toHaveBeenCalledTimes(ANSWERS);
    const refused = answersMade().filter((answer) => answer instanceof Promise || !answer.ok);
    expect(refused).toEqual([]);
    expect(answerJson).toHaveBeenCalledTimes(ANSWERS);
    expect(peek).not.toHaveBeenCalled();
    expect(load).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("looks some answers up", () => {
    rehearseTrades(handlerDeps({ account: walletState() }), logger, ANSWERS);
    vi.advanceTimersByTime(1_000);
    const assessments = answersMade().flatMap((answer) =>
      answer instanceof Promise || !answer.ok ? [] : [answer.value.assessment],
    );
    const lookedUp = assessments.length - new Set(assessments).size;
    expect(lookedUp).toBeGreaterThan(ANSWERS / 20);
    expect(lookedUp).toBeLessThan(ANSWERS / 5);
  });

  it("waits until the engine was ready and scenarios are drawn", () => {
    const starting = handlerDeps({ account: walletState(), readiness: "starting" });
    const undrawn = handlerDeps({ account: walletState(), hasScenarios: false });
    let scenarios = undrawn.scenarios;
    rehearseTrades(starting, logger, ANSWERS);
    rehearseTrades({ ...undrawn, scenarios: () => scenarios() }, logger, ANSWERS);
    vi.advanceTimersByTime(5_000);
    expect(madeUpTrade).not.toHaveBeenCalled();

    scenarios = handlerDeps({ account: walletState() }).scenarios;
    vi.advanceTimersByTime(5_000);
    expect(madeUpTrade).toHaveBeenCalledTimes(ANSWERS);
  });

  it("asks about no asset that cannot be opened on cross margin", () => {
    const closeOnly = assetListing({ ticker: ETH, assetIndex: 1, isCloseOnly: true });
    const isolatedOnly = assetListing({ ticker: SOL, assetIndex: 2, isIsolatedOnly: true });
    const views = [
      assetView(BTC),
      assetView(ETH, { listing: closeOnly }),
      assetView(SOL, { listing: isolatedOnly }),
    ];
    rehearseTrades(handlerDeps({ account: walletState(), views }), logger, ANSWERS);
    vi.advanceTimersByTime(1_000);
    const trades = vi
      .mocked(madeUpTrade)
      .mock.results.map(({ value }) => value as ReturnType<typeof madeUpTrade>);
    expect(new Set(trades.map(({ asset }) => asset))).toEqual(new Set([BTC]));
  });

  it("gives the thread back after a millisecond, and rests", () => {
    let nowMs = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (nowMs += 0.1));
    rehearseTrades(handlerDeps({ account: walletState() }), logger, ANSWERS);
    vi.advanceTimersByTime(100);
    const first = vi.mocked(madeUpTrade).mock.calls.length;
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(11);
    vi.advanceTimersByTime(2);
    expect(madeUpTrade).toHaveBeenCalledTimes(first);
    vi.advanceTimersByTime(1);
    expect(vi.mocked(madeUpTrade).mock.calls.length).toBeGreaterThan(first);
    vi.advanceTimersByTime(10_000);
    expect(madeUpTrade).toHaveBeenCalledTimes(ANSWERS);
  });

  it("ends when it is told to, before its first trade and between two turns", () => {
    let nowMs = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (nowMs += 0.1));
    rehearseTrades(handlerDeps({ account: walletState() }), logger, ANSWERS)();
    expect(vi.getTimerCount()).toBe(0);

    const end = rehearseTrades(handlerDeps({ account: walletState() }), logger, ANSWERS);
    vi.advanceTimersByTime(100);
    const answered = vi.mocked(madeUpTrade).mock.calls.length;
    expect(answered).toBeGreaterThan(0);
    end();
    vi.advanceTimersByTime(10_000);

    expect(madeUpTrade).toHaveBeenCalledTimes(answered);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends at a failure, and logs it", () => {
    const error = vi.spyOn(logger, "error");
    const deps = handlerDeps({ account: walletState() });
    const cause = new Error("a defect");
    let asked = 0;
    const scenarios: AssessmentDeps["scenarios"] = () => {
      asked += 1;
      if (asked > 5) throw cause;
      return deps.scenarios();
    };
    rehearseTrades({ ...deps, scenarios }, logger, ANSWERS);
    vi.advanceTimersByTime(10_000);
    expect(asked).toBe(6);
    expect(error.mock.calls).toEqual([[{ event: "rehearsal.failed", err: cause }, expect.any(String)]]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("goes on past markets that have become stale, and does nothing where none is live", () => {
    const stale = handlerDeps({ account: walletState(), snapshot: { bookArrivedAtMs: NOW_MS - 3_600_000 } });
    rehearseTrades(stale, logger, ANSWERS);
    const warming = handlerDeps({ account: walletState(), snapshot: { lifecycle: "warming" } });
    rehearseTrades(warming, logger, ANSWERS);
    vi.advanceTimersByTime(10_000);
    expect(madeUpTrade).toHaveBeenCalledTimes(ANSWERS);
    expect(answersMade().some((answer) => !(answer instanceof Promise) && !answer.ok)).toBe(true);
  });
});

describe("made-up trades", () => {
  const assets = handlerDeps({ account: walletState() }).snapshots.assets();

  it("are of every kind", () => {
    const trades = Array.from({ length: 200 }, (_, i) => madeUpTrade(i, assets, walletState().wallet));
    expect(new Set(trades.map(({ action }) => action))).toEqual(new Set(["long", "short", "close"]));
    expect(new Set(trades.map(({ asset }) => asset)).size).toBe(assets.length);
    for (const field of ["mode", "monte_carlo", "explain"] as const) {
      expect(new Set(trades.map((trade) => trade[field] !== undefined))).toEqual(new Set([true, false]));
    }
  });

  it("are of accounts without positions, with one in each asset, and with isolated ones", () => {
    const accounts = Array.from({ length: 40 }, (_, i) => madeUpAccount(i, assets, NOW_MS));
    const counts = new Set(accounts.map(({ positions }) => positions.length));
    for (let count = 0; count <= assets.length; count++) expect(counts).toContain(count);
    const modes = new Set(accounts.flatMap(({ positions }) => positions.map((p) => p.marginMode)));
    expect(modes).toEqual(new Set(["cross", "isolated"]));
    expect(new Set(accounts.map(({ wallet }) => wallet)).size).toBe(16);
  });
});

function answersMade(): readonly ReturnType<typeof handleValidate>[] {
  return vi
    .mocked(handleValidate)
    .mock.results.map(({ value }) => value as ReturnType<typeof handleValidate>);
}
