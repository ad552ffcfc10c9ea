import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { WireAssetCtx, WireBook, WireMetaAndAssetCtxs } from "../../src/exchange/hyperliquid/wire.ts";
import type { RunningSimulator } from "../../src/simulator/simulator.ts";
import { FrameClient, postInfo, readInfo, startManualExchange } from "./support/manual-exchange.ts";

let exchange: RunningSimulator;
beforeEach(async () => {
  exchange = await startManualExchange({ assetCount: 8, limits: { weightPerMinute: 1e6 } });
  exchange.advance(10_000);
});
afterEach(() => exchange.stop());

async function control(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(`${exchange.controlUrl}${path}`, {
    method,
    ...(body !== undefined && { body: text }),
  });
  return { status: response.status, body: await response.json() };
}

async function contextOf(coin: string): Promise<WireAssetCtx> {
  const [meta, ctxs] = await readInfo<WireMetaAndAssetCtxs>(exchange, { type: "metaAndAssetCtxs" });
  return ctxs[meta.universe.findIndex(({ name }) => name === coin)]!;
}

const depthUsd = (book: WireBook): number =>
  book.levels.flat().reduce((sum, { px, sz }) => sum + Number(px) * Number(sz), 0);

describe("lists", () => {
  it("name every wallet and asset with what it demonstrates", async () => {
    const wallets = (await control("GET", "/wallets")).body as { address: string; demonstrates: string }[];
    expect(wallets.length).toBeGreaterThanOrEqual(20);
    expect(
      wallets.every(
        ({ address, demonstrates }) => /^0x[0-9a-f]{40}$/.test(address) && demonstrates.length > 5,
      ),
    ).toBe(true);
    expect(new Set(wallets.map(({ address }) => address)).size).toBe(wallets.length);
    const assets = (await control("GET", "/assets")).body as { asset: string; delisted: boolean }[];
    expect(assets.find(({ asset }) => asset === "MATIC")?.delisted).toBe(true);
  });

  it("tell of every asset what the exchange tells of it", async () => {
    const whole = await startManualExchange({ limits: { weightPerMinute: 1e6 } });
    const listed = (await (await fetch(`${whole.controlUrl}/assets`)).json()) as {
      asset: string;
      isolated_only: boolean;
      at_open_interest_cap: boolean;
      delisted: boolean;
      max_leverage: number;
    }[];
    const [{ universe }] = await readInfo<WireMetaAndAssetCtxs>(whole, { type: "metaAndAssetCtxs" });
    const atCap = await readInfo<string[]>(whole, { type: "perpsAtOpenInterestCap" });

    expect(listed.filter((each) => each.isolated_only).length).toBeGreaterThan(1);
    expect(listed).toEqual(
      universe.map(({ name, maxLeverage, onlyIsolated, isDelisted }) =>
        expect.objectContaining({
          asset: name,
          max_leverage: maxLeverage,
          isolated_only: onlyIsolated === true,
          delisted: isDelisted === true,
        }),
      ),
    );
    // The exchange's own list keeps coins that were delisted at their cap.
    const names = new Set(universe.filter(({ isDelisted }) => !isDelisted).map(({ name }) => name));
    const listedAtCap = listed.filter((each) => each.at_open_interest_cap).map(({ asset }) => asset);
    expect(listedAtCap).not.toEqual([]);
    expect(listedAtCap.toSorted()).toEqual(atCap.filter((name) => names.has(name)).toSorted());
    await whole.stop();
  });

  it("have the scenario that was begun, until all are ended", async () => {
    const asked = { type: "funding_spike", asset: "ETH", magnitude: 0.01, duration_s: 90 };
    const begun = await control("POST", "/scenario", asked);
    expect(begun).toMatchObject({ status: 200, body: asked });
    const { started_at, ends_at } = begun.body as { started_at: number; ends_at: number };
    expect(ends_at - started_at).toBe(90_000);
    expect(await control("GET", "/scenarios")).toMatchObject({
      status: 200,
      body: { running: [begun.body] },
    });
    expect(await control("DELETE", "/scenarios")).toMatchObject({ status: 200, body: { running: [] } });
  });

  it("do not exist unless switched on", async () => {
    const closed = await startManualExchange({ assetCount: 1, control: false });
    expect(closed.controlUrl).toBeUndefined();
    expect((await fetch(new URL("/control/wallets", closed.infoUrl))).status).toBe(404);
    await closed.stop();
  });
});

describe("refusals", () => {
  it.each([
    ["{", "body is not JSON"],
    ["[]", "body must be a JSON object"],
    [{ type: "earthquake" }, "type must be one of crash, short_squeeze"],
    [{ type: "crash", asset: "NOPE" }, "asset must be the name of a listed asset"],
    [{ type: "crash", asset: "MATIC" }, "asset must be the name of a listed asset"],
    [{ type: "http_500", asset: "BTC" }, "http_500 is of the whole exchange and takes no asset"],
    [{ type: "feed_silence", asset: "BTC" }, "feed_silence is of the whole exchange and takes no asset"],
    [{ type: "crash", magnitude: "big" }, "magnitude must be a positive number"],
    [{ type: "crash", magnitude: 1 }, "magnitude of a crash must be below 0.95"],
    [{ type: "slow_replies", magnitude: 3_000_000 }, "magnitude of slow_replies must be at most 86400"],
    [{ type: "crash", duration_s: -1 }, "duration_s must be a number from 0 to 86400"],
    [{ type: "crash", duration_s: 0 }, "duration_s of a crash must be at least 1"],
    [{ type: "short_squeeze", duration_s: 0.5 }, "duration_s of a short_squeeze must be at least 1"],
    [{ type: "crash", duration: 5 }, 'unknown field "duration"'],
  ])("%j: %s", async (body, message) => {
    const refused = await control("POST", "/scenario", body);
    expect(refused.status).toBe(400);
    expect((refused.body as { error: string }).error).toContain(message);
  });

  it("name the routes there are", async () => {
    expect(await control("GET", "/nothing")).toMatchObject({
      status: 404,
      body: { error: expect.stringContaining("POST scenario") as string },
    });
  });
});

describe("market scenarios", () => {
  it("crash: beta-scaled loss, thin book and wide spread on the way, part of it given back", async () => {
    const [before, book] = [
      await contextOf("ETH"),
      await readInfo<WireBook>(exchange, { type: "l2Book", coin: "ETH", nSigFigs: 3 }),
    ];
    await control("POST", "/scenario", { type: "crash", magnitude: 0.2, duration_s: 60 });
    exchange.advance(58_000);
    const [during, thin] = [
      await contextOf("ETH"),
      await readInfo<WireBook>(exchange, { type: "l2Book", coin: "ETH", nSigFigs: 3 }),
    ];
    const loss = 1 - Number(during.markPx) / Number(before.markPx);
    expect(loss).toBeGreaterThan(0.2);
    expect(depthUsd(thin)).toBeLessThan(0.3 * depthUsd(book));
    expect(Number(thin.spread)).toBeGreaterThan(3 * Number(book.spread));
    exchange.advance(65_000);
    const after = 1 - Number((await contextOf("ETH")).markPx) / Number(before.markPx);
    expect(after).toBeLessThan(loss);
    expect(after).toBeGreaterThan(0.1);
  });

  it("short squeeze: one asset rises, the others do not follow", async () => {
    const [doge, btc] = [await contextOf("DOGE"), await contextOf("BTC")];
    await control("POST", "/scenario", {
      type: "short_squeeze",
      asset: "DOGE",
      magnitude: 0.8,
      duration_s: 30,
    });
    exchange.advance(31_000);
    expect(Number((await contextOf("DOGE")).markPx) / Number(doge.markPx)).toBeGreaterThan(1.6);
    expect(Number((await contextOf("BTC")).markPx) / Number(btc.markPx)).toBeCloseTo(1, 1);
  });

  it("funding spike: the running rate climbs towards the target", async () => {
    await control("POST", "/scenario", {
      type: "funding_spike",
      asset: "XRP",
      magnitude: 0.01,
      duration_s: 3600,
    });
    exchange.advance(60_000);
    const { premium, funding } = await contextOf("XRP");
    expect(Number(premium)).toBeGreaterThan(0.07);
    expect(Number(funding)).toBeGreaterThan(0.0005);
    type Row = [string, [string, { fundingRate: string }][]];
    const predicted = new Map(await readInfo<Row[]>(exchange, { type: "predictedFundings" })).get("XRP")!;
    expect(new Map(predicted).get("HlPerp")!.fundingRate).toBe(funding);
  });

  it("book outage: empty sides and null mid, oracle and mark go on", async () => {
    await control("POST", "/scenario", { type: "book_outage", asset: "SOL", duration_s: 30 });
    exchange.advance(6000);
    expect((await readInfo<WireBook>(exchange, { type: "l2Book", coin: "SOL" })).levels).toEqual([[], []]);
    expect(await contextOf("SOL")).toMatchObject({ midPx: null, impactPxs: null, premium: null });
    expect((await contextOf("BTC")).midPx).not.toBeNull();
    exchange.advance(30_000);
    expect((await contextOf("SOL")).midPx).not.toBeNull();
  });
});

describe("fault scenarios", () => {
  it("disconnects every socket and refuses new ones while it lasts", async () => {
    const client = await FrameClient.open(exchange.wsUrl);
    await control("POST", "/scenario", { type: "feed_disconnect", duration_s: 10 });
    expect(await client.closed).toBe(1006);
    await expect(FrameClient.open(exchange.wsUrl)).rejects.toThrow("503");
    exchange.advance(11_000);
    await FrameClient.open(exchange.wsUrl);
  });

  it("goes silent without disconnecting", async () => {
    const client = await FrameClient.open(exchange.wsUrl);
    client.subscribe({ type: "bbo", coin: "BTC" });
    await client.fence();
    await control("POST", "/scenario", { type: "feed_silence", duration_s: 10 });
    const before = client.of("bbo").length;
    exchange.advance(9000);
    await client.fence();
    expect(client.of("bbo")).toHaveLength(before);
    exchange.advance(5000);
    await client.fence();
    expect(client.of("bbo").length).toBeGreaterThan(before);
  });

  it.each([
    ["http_429", 429],
    ["http_500", 500],
  ])("%s: replies %i with null until it ends", async (type, status) => {
    await control("POST", "/scenario", { type, duration_s: 5 });
    expect(await postInfo(exchange, { type: "allMids" })).toEqual({
      status,
      contentType: "application/json",
      text: "null",
    });
    exchange.advance(6000);
    expect((await postInfo(exchange, { type: "allMids" })).status).toBe(200);
  });

  it("delays replies, and can be called off", async () => {
    await control("POST", "/scenario", { type: "slow_replies", magnitude: 0.05, duration_s: 60 });
    const start = performance.now();
    await postInfo(exchange, { type: "allMids" });
    expect(performance.now() - start).toBeGreaterThanOrEqual(45);
    expect(((await control("DELETE", "/scenarios")).body as { running: unknown[] }).running).toEqual([]);
  });
});
