import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type {
  WireBook,
  WireCandle,
  WireClearinghouseState,
  WireMetaAndAssetCtxs,
} from "../../src/exchange/hyperliquid/wire.ts";
import type { RunningSimulator } from "../../src/simulator/simulator.ts";
import { postInfo, readInfo, START_MS, startManualExchange } from "./support/manual-exchange.ts";

const HOUR_MS = 3_600_000;
const ONE_LONG = "0x5eed000000000000000000000000000000000003";
let exchange: RunningSimulator;

beforeAll(async () => {
  exchange = await startManualExchange({ limits: { weightPerMinute: 1e6 }, historyHours: 5000 });
});
afterAll(() => exchange.stop());

describe("the error table of POST /info", () => {
  const unreadable = {
    status: 422,
    contentType: "text/plain",
    text: "Failed to deserialize the JSON body into the target type",
  };
  const nothing = { status: 200, contentType: "application/json", text: "null" };
  const unknownName = { status: 500, contentType: "application/json", text: "null" };

  it.each([
    [{ type: "noSuchType" }, unreadable],
    [{}, unreadable],
    [[], unreadable],
    ["null", unreadable],
    [{ type: "l2Book" }, unreadable],
    [{ type: "l2Book", coin: 7 }, unreadable],
    [{ type: "l2Book", coin: "BTC", nSigFigs: 6 }, unreadable],
    [{ type: "l2Book", coin: "BTC", nSigFigs: 4, mantissa: 2 }, unreadable],
    [{ type: "clearinghouseState" }, unreadable],
    [{ type: "clearinghouseState", user: "0x12" }, unreadable],
    [{ type: "candleSnapshot", coin: "BTC" }, unreadable],
    [{ type: "candleSnapshot", req: { coin: "BTC", interval: "7m", startTime: 0 } }, unreadable],
    [{ type: "fundingHistory", coin: "BTC" }, unreadable],
    [{ type: "toString" }, unreadable],
    [{ type: "meta", dex: "nowhere" }, unknownName],
    [{ type: "clearinghouseState", user: ONE_LONG, dex: "nowhere" }, unknownName],
    [{ type: "fundingHistory", coin: "NOPE", startTime: 0 }, unknownName],
    [{ type: "l2Book", coin: "NOPE" }, nothing],
    [{ type: "l2Book", coin: "btc" }, nothing],
    [
      "{not json",
      { status: 400, contentType: "text/plain", text: "Failed to parse the request body as JSON" },
    ],
  ])("%j", async (body, expected) => {
    expect(await postInfo(exchange, body)).toEqual(expected);
  });

  it("refuses another content type, another method and another path", async () => {
    const wrongType = await postInfo(exchange, { type: "meta" }, { "content-type": "text/plain" });
    expect(wrongType).toMatchObject({
      status: 415,
      text: "Expected request with `Content-Type: application/json`",
    });
    const get = await fetch(exchange.infoUrl);
    expect([get.status, await get.text()]).toEqual([405, ""]);
    expect((await fetch(new URL("/elsewhere", exchange.infoUrl))).status).toBe(404);
  });

  it("reads 65,536 bytes and no more", async () => {
    const request = JSON.stringify({ type: "allMids" });
    expect((await postInfo(exchange, request.padEnd(65_536))).status).toBe(200);
    expect((await postInfo(exchange, request.padEnd(65_537))).status).toBe(400);
  });

  it("lets pages of any origin ask", async () => {
    const { status, headers } = await fetch(exchange.infoUrl, { method: "OPTIONS" });
    const ofOrigins = "access-control-allow-origin";
    expect([status, headers.get(ofOrigins), headers.get("access-control-allow-headers")]).toEqual([
      200,
      "*",
      "content-type",
    ]);
    expect((await fetch(exchange.infoUrl)).headers.get(ofOrigins)).toBe("*");
  });
});

describe("the weight budget", () => {
  it("answers 429 with null beyond it and recovers within a minute", async () => {
    const limited = await startManualExchange({ assetCount: 4 });
    for (let i = 0; i < 60; i++) expect((await postInfo(limited, { type: "meta" })).status).toBe(200);
    expect(await postInfo(limited, { type: "meta" })).toEqual({
      status: 429,
      contentType: "application/json",
      text: "null",
    });
    expect((await postInfo(limited, { type: "allMids" })).status).toBe(429);
    limited.advance(61_000);
    expect((await postInfo(limited, { type: "meta" })).status).toBe(200);
    await limited.stop();
  });

  it("charges long answers by their rows: 5000 candles cost 20 + 84", async () => {
    const limited = await startManualExchange({
      assetCount: 1,
      limits: { weightPerMinute: 105 },
      historyHours: 5000,
    });
    const request = { type: "candleSnapshot", req: { coin: "BTC", interval: "1h", startTime: 0 } };
    expect(await readInfo<WireCandle[]>(limited, request)).toHaveLength(5000);
    expect((await postInfo(limited, { type: "l2Book", coin: "BTC" })).status).toBe(429);
    await limited.stop();
  });

  it("charges userRole 60 and reads that a validation needs 2", async () => {
    const limited = await startManualExchange({ assetCount: 1, limits: { weightPerMinute: 64 } });
    expect((await postInfo(limited, { type: "userRole", user: ONE_LONG })).status).toBe(200);
    expect((await postInfo(limited, { type: "clearinghouseState", user: ONE_LONG })).status).toBe(200);
    expect((await postInfo(limited, { type: "l2Book", coin: "BTC" })).status).toBe(200);
    expect((await postInfo(limited, { type: "allMids" })).status).toBe(429);
    await limited.stop();
  });
});

describe("market answers", () => {
  it("joins contexts by index, with nulls exactly on delisted rows and every asset kind present", async () => {
    const [meta, ctxs] = await readInfo<WireMetaAndAssetCtxs>(exchange, { type: "metaAndAssetCtxs" });
    expect(meta.universe.length).toBeGreaterThanOrEqual(40);
    expect(ctxs).toHaveLength(meta.universe.length);
    meta.universe.forEach((asset, i) => {
      const { midPx, premium, funding, openInterest } = ctxs[i]!;
      if (asset.isDelisted)
        expect({ midPx, premium, funding, openInterest }).toEqual({
          midPx: null,
          premium: null,
          funding: "0.0",
          openInterest: "0.0",
        });
      else expect(Number(midPx)).toBeGreaterThan(0);
      expect(asset.onlyIsolated === true).toBe(asset.marginMode !== undefined);
    });
    const live = meta.universe.filter((asset) => !asset.isDelisted);
    expect(new Set(live.map((asset) => asset.marginMode))).toEqual(
      new Set([undefined, "strictIsolated", "noCross"]),
    );
    expect(meta.universe[0]).toEqual({ szDecimals: 5, name: "BTC", maxLeverage: 40, marginTableId: 56 });
  });

  it("keeps delisted names at the cap beside live ones, some no longer listed at all", async () => {
    const atCap = await readInfo<string[]>(exchange, { type: "perpsAtOpenInterestCap" });
    expect(atCap).toEqual(["CANTO", "FTM", "JELLY", "LOOM", "RLB", "STX", "TRB"]);
  });

  it("sends a book with two empty sides for a delisted coin", async () => {
    const book = await readInfo<WireBook>(exchange, { type: "l2Book", coin: "MATIC" });
    expect(book.levels).toEqual([[], []]);
  });

  it("gives new listings only the history they have", async () => {
    const rowsOf = (coin: string): Promise<WireCandle[]> =>
      readInfo(exchange, { type: "candleSnapshot", req: { coin, interval: "1h", startTime: 0 } });
    expect((await rowsOf("DAWN")).length).toBe(32);
    expect((await rowsOf("NOVA")).length).toBeLessThan(14 * 24);
    expect(await rowsOf("MATIC")).toEqual([]);
    const fundings = await readInfo<unknown[]>(exchange, {
      type: "fundingHistory",
      coin: "DAWN",
      startTime: 0,
    });
    expect(fundings).toHaveLength(31);
  });

  it("merges longer candles from shorter ones without losing a high, a low or a coin of volume", async () => {
    const startTime = Math.floor(START_MS / (4 * HOUR_MS)) * 4 * HOUR_MS - 40 * 4 * HOUR_MS;
    const rowsOf = (interval: string): Promise<WireCandle[]> =>
      readInfo(exchange, { type: "candleSnapshot", req: { coin: "ETH", interval, startTime } });
    const [hours, fours] = [await rowsOf("1h"), await rowsOf("4h")];
    for (const four of fours) {
      const parts = hours.filter(({ t }) => t >= four.t && t <= four.T);
      expect(four.o).toBe(parts[0]!.o);
      expect(four.c).toBe(parts.at(-1)!.c);
      expect(Number(four.h)).toBe(Math.max(...parts.map(({ h }) => Number(h))));
      expect(Number(four.l)).toBe(Math.min(...parts.map(({ l }) => Number(l))));
      const volume = parts.reduce((sum, { v }) => sum + Number(v), 0);
      expect(Number(four.v) / volume).toBeCloseTo(1, 6);
    }
  });

  it("agrees between one-minute, five-minute and hourly candles of the same hour", async () => {
    const startTime = Math.floor(START_MS / HOUR_MS) * HOUR_MS - 10 * HOUR_MS;
    const endTime = startTime + 9 * HOUR_MS - 1;
    const extremes = async (interval: string): Promise<[number, number, string]> => {
      const rows = await readInfo<WireCandle[]>(exchange, {
        type: "candleSnapshot",
        req: { coin: "SOL", interval, startTime, endTime },
      });
      return [
        Math.max(...rows.map(({ h }) => Number(h))),
        Math.min(...rows.map(({ l }) => Number(l))),
        rows.at(-1)!.c,
      ];
    };
    expect(await extremes("1m")).toEqual(await extremes("1h"));
    expect(await extremes("5m")).toEqual(await extremes("1h"));
  });

  it("predicts funding per venue interval, null where not listed, its own next time stale", async () => {
    type Row = [
      string,
      [string, { fundingRate: string; nextFundingTime: number; fundingIntervalHours: number } | null][],
    ];
    const rows = new Map(await readInfo<Row[]>(exchange, { type: "predictedFundings" }));
    expect(new Map(rows.get("YGG")).get("BinPerp")).toBeNull();
    expect(new Map(rows.get("HYPE")).get("BinPerp")?.fundingIntervalHours).toBe(4);
    expect(new Map(rows.get("BERA")).get("BinPerp")?.fundingIntervalHours).toBe(1);
    expect(new Map(rows.get("BTC")).get("HlPerp")!.nextFundingTime).toBeLessThanOrEqual(START_MS);
    expect(rows.has("MATIC")).toBe(false);
  });
});

describe("wallet answers", () => {
  it("answers zeros for an unknown wallet and knows letter case does not matter", async () => {
    const stranger = "0x1111111111111111111111111111111111111111";
    const state = await readInfo<WireClearinghouseState>(exchange, {
      type: "clearinghouseState",
      user: stranger,
    });
    expect(state).toMatchObject({
      withdrawable: "0.0",
      assetPositions: [],
      marginSummary: { accountValue: "0.0" },
    });
    expect(await readInfo(exchange, { type: "userRole", user: stranger })).toEqual({ role: "missing" });
    const upper = `0x${ONE_LONG.slice(2).toUpperCase()}`;
    const known = await readInfo<WireClearinghouseState>(exchange, {
      type: "clearinghouseState",
      user: upper,
    });
    expect(known.assetPositions).toHaveLength(1);
  });

  it("tells roles, abstraction and fee tiers apart", async () => {
    const of = (type: string, tail: string): Promise<unknown> =>
      readInfo(exchange, { type, user: `0x5eed${tail.padStart(36, "0")}` });
    expect(await of("userRole", "f")).toEqual({ role: "agent", data: { user: ONE_LONG } });
    expect(await of("userRole", "10")).toEqual({ role: "subAccount", data: { master: ONE_LONG } });
    expect(await of("userRole", "11")).toEqual({ role: "vault" });
    expect(await of("userAbstraction", "d")).toBe("unifiedAccount");
    expect(await of("userAbstraction", "e")).toBe("portfolioMargin");
    expect(await of("userFees", "3")).toMatchObject({ userCrossRate: "0.00045" });
    expect(await of("userFees", "18")).toMatchObject({ userCrossRate: "0.0003" });
  });
});
