import { beforeAll, describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "../../src/domain/bar.ts";
import type { WireCandle, WirePredictedFundings, WireTrade } from "../../src/exchange/hyperliquid/wire.ts";
import { ConnectionLimits } from "../../src/simulator/connection-limits.ts";
import type { InfoWorld } from "../../src/simulator/info-answers.ts";
import { answerInfo } from "../../src/simulator/info-desk.ts";
import { Scenarios } from "../../src/simulator/scenarios.ts";
import { SimulatedMarket } from "../../src/simulator/simulated-market.ts";
import { SimulatedWallets } from "../../src/simulator/simulated-wallets.ts";
import { START_MS } from "./support/manual-exchange.ts";

const ONE_LONG = "0x5eed000000000000000000000000000000000003";
const STRANGER = "0x1111111111111111111111111111111111111111";
let world: InfoWorld;
const scenarios = new Scenarios();
const limits = new ConnectionLimits({ weightPerMinute: 1e6 });

beforeAll(() => {
  const market = new SimulatedMarket(7, START_MS, scenarios, { historyHours: 700 });
  world = { market, wallets: new SimulatedWallets(market) };
});

function ask(request: unknown): { error: string | null; value: unknown; weight: number } {
  const usage = limits.clientOf("10.0.0.1", START_MS);
  const before = usage.weight.used(START_MS);
  const answer = answerInfo(request, world, usage, limits.limits, START_MS);
  const weight = usage.weight.used(START_MS) - before;
  return { error: answer.ok ? null : answer.error, value: answer.ok ? answer.value : undefined, weight };
}

describe("market answers", () => {
  it("give mids of what is live and of the spot pairs, and of an empty book its last trade", () => {
    const mids = (): Record<string, string> => ask({ type: "allMids" }).value as Record<string, string>;
    const live = world.market.assets.filter(({ isLive }) => isLive).map(({ spec }) => spec.coin);
    expect(Object.keys(mids())).toEqual([...live, "PURR/USDC", "@107"]);
    const asset = world.market.assetOf("SOL")!;
    expect(Number(mids()["SOL"])).toBe(asset.midPrice);
    scenarios.start({ kind: "book_outage", coin: "SOL", magnitude: 1, durationMs: 5000 }, world.market.nowMs);
    world.market.advanceTo(world.market.nowMs + 3000);
    expect(asset.midPrice).toBeUndefined();
    expect(asset.tape.lastPrice).not.toBe(asset.markPrice);
    expect(Number(mids()["SOL"])).toBe(asset.tape.lastPrice);
    world.market.advanceTo(world.market.nowMs + 3000);
  });

  it.each([
    [{}, null],
    [{ nSigFigs: null, mantissa: null }, null],
    [{ nSigFigs: 2 }, null],
    [{ nSigFigs: 5 }, null],
    [{ nSigFigs: 5, mantissa: 1 }, null],
    [{ nSigFigs: 5, mantissa: 2 }, null],
    [{ nSigFigs: 5, mantissa: 5 }, null],
    [{ nSigFigs: 1 }, "unreadable"],
    [{ nSigFigs: 5, mantissa: 3 }, "unreadable"],
    [{ mantissa: 2 }, "unreadable"],
  ])("give the book in the view %j: %s", (view, error) => {
    expect(ask({ type: "l2Book", coin: "BTC", ...view }).error).toBe(error);
  });

  it("give settlements of a window with both its ends, oldest first, 500 at most", () => {
    const settled = world.market.assetOf("ETH")!.funding.settlements;
    const rowsOf = (window: object): unknown => ask({ type: "fundingHistory", coin: "ETH", ...window }).value;
    const wired = settled.map(({ timeMs, rateHourly, premium }) => ({
      coin: "ETH",
      fundingRate: rateHourly,
      premium,
      time: timeMs,
    }));
    const read = (rows: unknown): unknown =>
      (rows as { fundingRate: string; premium: string }[]).map((row) => ({
        ...row,
        fundingRate: Number(row.fundingRate),
        premium: Number(row.premium),
      }));
    expect(settled.length).toBeGreaterThan(600);
    expect(read(rowsOf({ startTime: 0 }))).toEqual(wired.slice(0, 500));
    expect(read(rowsOf({ startTime: settled[3]!.timeMs, endTime: settled[5]!.timeMs }))).toEqual(
      wired.slice(3, 6),
    );
    expect(read(rowsOf({ startTime: settled.at(-2)!.timeMs, endTime: null }))).toEqual(wired.slice(-2));
    expect(ask({ type: "fundingHistory", coin: "ETH", startTime: 0 }).weight).toBe(20 + 25);
  });

  it("give no candle that opens after now, none of a delisted coin, and refuse a window they cannot read", () => {
    const candles = (req: object): ReturnType<typeof ask> => ask({ type: "candleSnapshot", req });
    const hour = { coin: "BTC", interval: "1h", startTime: START_MS - DAY_MS };
    const rows = candles({ ...hour, endTime: START_MS + DAY_MS }).value as WireCandle[];
    expect(rows.map(({ t }) => t / HOUR_MS)).toEqual(
      Array.from({ length: 24 }, (_, i) => Math.floor(START_MS / HOUR_MS) - 23 + i),
    );
    expect(candles({ ...hour, coin: "MATIC" })).toEqual({ error: null, value: [], weight: 20 });
    expect(candles({ ...hour, coin: "NOPE" }).error).toBe("unknown_name");
    expect(candles({ ...hour, endTime: "now" }).error).toBe("unreadable");
    expect(candles({ ...hour, interval: "toString" }).error).toBe("unreadable");
  });

  it("predict funding for each venue's own interval and its next end", () => {
    const rows = new Map(ask({ type: "predictedFundings" }).value as WirePredictedFundings);
    for (const [coin, venues] of rows) {
      const { rateHourly } = world.market.assetOf(coin)!.funding;
      for (const [venue, prediction] of venues) {
        if (prediction === null) continue;
        const { fundingRate, nextFundingTime, fundingIntervalHours = 0 } = prediction;
        const periodMs = fundingIntervalHours * HOUR_MS;
        expect(nextFundingTime % periodMs).toBe(0);
        if (venue === "HlPerp") {
          expect([Number(fundingRate), nextFundingTime]).toEqual([
            rateHourly,
            START_MS - (START_MS % HOUR_MS),
          ]);
          continue;
        }
        expect(nextFundingTime - START_MS).toBeGreaterThan(0);
        expect(nextFundingTime - START_MS).toBeLessThanOrEqual(periodMs);
        const ratio = Number(fundingRate) / (rateHourly * fundingIntervalHours);
        expect(ratio).toBeGreaterThan(0.59);
        expect(ratio).toBeLessThan(1.41);
      }
    }
  });

  it("give the ten newest trades, oldest first", () => {
    const trades = ask({ type: "recentTrades", coin: "BTC" }).value as WireTrade[];
    const { lastTradeId } = world.market.assetOf("BTC")!.tape;
    expect(trades.map(({ tid }) => tid)).toEqual(Array.from({ length: 10 }, (_, i) => lastTradeId - 9 + i));
  });

  it("know a margin table or do not", () => {
    expect(ask({ type: "marginTable", id: 56 }).value).toMatchObject({
      marginTiers: [{ maxLeverage: 40 }, {}],
    });
    expect(ask({ type: "marginTable", id: 999 }).error).toBe("unknown_name");
    expect(ask({ type: "marginTable", id: "56" }).error).toBe("unreadable");
  });
});

describe("wallet answers", () => {
  it("give funding paid in a window with both its ends, from the first where none is named, 500 at most", () => {
    const account = world.wallets.accountOf(ONE_LONG)!;
    const timesOf = (window: object, user = ONE_LONG): number[] =>
      (ask({ type: "userFunding", user, ...window }).value as { time: number }[]).map(({ time }) => time);
    const paid = account.fundings.map(({ timeMs }) => timeMs);
    expect(paid.length).toBeGreaterThan(30);
    expect(timesOf({})).toEqual(paid);
    expect(timesOf({ startTime: paid[2], endTime: paid[4] })).toEqual(paid.slice(2, 5));
    for (let i = 0; i < 600; i++) account.fundings.push({ ...account.fundings.at(-1)! });
    expect(timesOf({})).toHaveLength(500);
    account.fundings.splice(paid.length);
    expect(timesOf({}, STRANGER)).toEqual([]);
  });

  it("give fills newest first, and of a window oldest first unless reversed", () => {
    const user = "0x5eed000000000000000000000000000000000015";
    const fillsOf = (request: object): { time: number; tid: number }[] =>
      ask({ user, ...request }).value as { time: number; tid: number }[];
    const all = fillsOf({ type: "userFills" });
    const { time } = all[0]!;
    expect(all).toHaveLength(2);
    expect(fillsOf({ type: "userFillsByTime", startTime: time, endTime: time })).toEqual([...all].reverse());
    expect(fillsOf({ type: "userFillsByTime", startTime: 0, reversed: true })).toEqual(all);
    expect(fillsOf({ type: "userFillsByTime", startTime: time + 1 })).toEqual([]);
    expect(fillsOf({ type: "userFillsByTime", startTime: 0, endTime: time - 1 })).toEqual([]);
  });

  it("tell a stranger from a known wallet, and a master's sub-accounts", () => {
    expect(ask({ type: "userAbstraction", user: STRANGER }).value).toBe("default");
    expect(ask({ type: "userAbstraction", user: ONE_LONG }).value).toBe("disabled");
    expect(ask({ type: "subAccounts", user: STRANGER }).value).toBeNull();
    expect(ask({ type: "subAccounts", user: ONE_LONG }).value).toMatchObject([
      { subAccountUser: "0x5eed000000000000000000000000000000000010", master: ONE_LONG },
    ]);
    expect(ask({ type: "activeAssetData", user: ONE_LONG, coin: "NOPE" }).error).toBe("unknown_name");
    expect(ask({ type: "activeAssetData", user: ONE_LONG }).error).toBe("unreadable");
  });
});

it("an answer that would go beyond the minute's weight is refused, one that just fits is not", () => {
  const tight = new ConnectionLimits({ weightPerMinute: 22 });
  const usage = tight.clientOf("10.0.0.1", START_MS);
  const errorOf = (type: string): string | null => {
    const answer = answerInfo({ type }, world, usage, tight.limits, START_MS);
    return answer.ok ? null : answer.error;
  };
  expect(["meta", "allMids", "allMids"].map(errorOf)).toEqual([null, null, "over_budget"]);
});
