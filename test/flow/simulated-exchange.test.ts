import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AssetsResponse, ValidateResponse } from "../../src/contracts/generated/types.ts";
import {
  startService,
  TEST_KEY,
  untilAllLive,
  type RunningService,
  WHOLE_MARKET,
} from "../support/running-service.ts";
import { simulatorWallets } from "../support/simulator-wallets.ts";

/** The whole program on the embedded exchange: every answer is checked against its published schema, closed. */
describe("the service on the simulated exchange", () => {
  let service: RunningService;
  let wallets: ReadonlyMap<string, string>;

  beforeAll(async () => {
    service = await startService(WHOLE_MARKET);
    await untilAllLive(service);
    wallets = await simulatorWallets(service);
  }, 150_000);

  afterAll(async () => {
    await service.stop();
  });

  it("refuses an order for the address of an agent, who signs for others", async () => {
    // First in this file, as long as there is weight to ask for the role.
    const trade = { asset: "ETH", action: "long", size: 2000, wallet: wallet("agent") };
    const response = await service.post("/v1/validate", trade);
    const body = (await response.json()) as { readonly detail: string };

    expect([response.status, body.detail]).toEqual([
      400,
      expect.stringContaining("is an agent (API) wallet"),
    ]);
    expect((await service.get(`/v1/monitor/${trade.wallet}`)).status).toBe(400);
  });

  it("lists tradable assets of every kind and leaves delisted ones out", async () => {
    const { assets } = await assetList();

    expect(assets.length).toBeGreaterThanOrEqual(40);
    expect(assets.some((asset) => asset.only_isolated)).toBe(true);
    expect(assets.some((asset) => asset.margin_tiers > 1)).toBe(true);
    for (const asset of assets) expect(asset.funding_rate_8h).toBeCloseTo(8 * asset.funding_rate_hourly, 9);
  });

  it("says what is in force in model-info", async () => {
    const body: unknown = await (await service.get("/v1/model-info")).json();

    expect(body).toMatchObject({
      weights: { slippage: 0.1, liquidation: 0.35, funding: 0.1, impact: 0.05, var: 0.25, oi: 0.15 },
      recommendation_bands: { proceed_max: 40, caution_max: 70 },
    });
    for (const id of ["jelly_squeeze", "luna_collapse", "ftx_crash", "short_squeeze", "flash_recovery"]) {
      expect((body as { scenarios: string[] }).scenarios).toContain(id);
    }
  });

  it("answers every asset, both ways, with every block from live state", async () => {
    const { assets } = await assetList();

    for (const asset of assets) {
      for (const action of ["long", "short"] as const) {
        const mode = asset.only_isolated ? "isolated" : "cross";
        const answer = await validated({
          asset: asset.name,
          action,
          size: 5000,
          leverage: 2,
          mode,
          wallet: wallet("cash-only"),
        });
        expectIdentities(answer, 5000, 2);
        expect(answer.var.pct_99_24h).toBeGreaterThan(0);
        expect(answer.evt).not.toBeNull();
        expect(answer.regime).not.toBeNull();
        expect(answer.drawdown).not.toBeNull();
        expect(answer.sizing).not.toBeNull();
        expect(answer.portfolio_risk).toBeUndefined();
        expect(answer.portfolio_stress).toBeUndefined();
        expect(answer.monte_carlo).toBeUndefined();
      }
    }
  });

  it("shows portfolio blocks by the number of positions before the trade", async () => {
    const trade = { asset: "BTC", action: "long", size: 1000, leverage: 5 };

    const none = await validated({ ...trade, wallet: wallet("cash-only") });
    const one = await validated({ ...trade, wallet: wallet("one-long") });
    const many = await validated({ ...trade, wallet: wallet("many-positions") });

    expect([none.portfolio_stress, none.portfolio_risk, none.portfolio_attribution]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([one.portfolio_stress !== undefined, one.portfolio_risk]).toEqual([true, undefined]);
    expect(many.portfolio_risk?.position_count).toBe(12);
    const attribution = many.portfolio_attribution!;
    const sum = attribution.positions.reduce((total, position) => total + position.component_var, 0);
    expect(sum).toBeCloseTo(attribution.total_var_99, 4);
    expect(many.portfolio_risk?.portfolio_var_99_24h).toBeCloseTo(attribution.total_var_99, 6);
  });

  it("answers every wallet of the simulator, an agent's for its exits", async () => {
    for (const [label, address] of wallets) {
      for (const action of label === "agent" ? ["close"] : ["long", "short", "close"]) {
        const answer = await validated({
          asset: "ETH",
          action,
          size: 2000,
          leverage: 3,
          wallet: address,
          explain: true,
        });
        if (label.startsWith("unified")) expect(answer.flags).toContain("unified_account");
      }
    }
  });

  it("adds the simulation and the explanation when asked, and changes nothing else by it", async () => {
    const trade = { asset: "SOL", action: "long", size: 20_000, leverage: 8, wallet: wallet("cash-only") };

    const answer = await validated({ ...trade, monte_carlo: true, explain: true });

    expect(answer.monte_carlo?.var_99).toBe(answer.var.pct_99_24h);
    expect(answer.monte_carlo?.expected_shortfall_99).toBe(answer.var.es_99_24h);
    const shares = answer.explanation!.components.reduce((sum, part) => sum + part.share_points, 0);
    expect(shares + answer.explanation!.base_points).toBeCloseTo(answer.explanation!.unrounded_score, 6);
  });

  it("never blocks an exit: known, unknown, oversized, of a delisted or isolated-only asset", async () => {
    const { assets } = await assetList();
    const isolatedOnly = assets.find((asset) => asset.only_isolated)!.name;
    const cases = [
      { asset: "BTC", size: 1000, wallet: wallet("one-long") },
      { asset: "BTC", size: 100_000_000, wallet: wallet("one-long"), leverage: 5000 },
      { asset: "ETH", size: 50, wallet: wallet("empty") },
      { asset: isolatedOnly, size: 50, mode: "cross", wallet: wallet("isolated-only-assets") },
      { asset: await delistedAsset(), size: 50, wallet: wallet("cash-only") },
      { asset: "BTC", size: 10, wallet: wallet("brink") },
    ];

    for (const body of cases) {
      const answer = await validated({ ...body, action: "close" });
      expect(answer.risk_score).toBeLessThanOrEqual(30);
      expect(answer.recommendation).toBe("proceed");
      expect(answer.sizing).toBeNull();
    }
  });

  it.each([
    [{ asset: "NOPE" }, "invalid asset: NOPE"],
    [{ wallet: "0x12" }, "invalid wallet address: 0x12"],
    [{ size: -1 }, "size must be positive, got -1"],
    [{ size: 100_000_001 }, "size 100000001 exceeds maximum allowed 100000000"],
    [{ leverage: 41 }, "leverage 41 exceeds maximum 40"],
    [{ action: "hold" }, "action must be one of long, short, close"],
  ])("refuses %j", async (change, detail) => {
    const body = {
      asset: "BTC",
      action: "long",
      size: 100,
      wallet: "0x0000000000000000000000000000000000000001",
    };

    const response = await service.post("/v1/validate", { ...body, ...change });
    const answer: unknown = await response.json();

    expect(response.status).toBe(400);
    expect(answer).toEqual({ error: "validation_error", detail });
  });

  it("answers every error of the table in its published shape", async () => {
    const url = `${service.url}/v1/validate`;
    const headers = { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" };
    const ask = async (path: string, init: RequestInit): Promise<[number, unknown]> => {
      const response = await fetch(path, init);
      return [response.status, await response.json()];
    };

    const answers = await Promise.all([
      ask(url, { method: "POST", body: "{}" }),
      ask(url, { method: "POST", headers: { ...headers, authorization: "Bearer wrong" }, body: "{}" }),
      ask(`${service.url}/v1/nothing`, { headers }),
      ask(url, { headers }),
      ask(url, { method: "POST", headers, body: `{"a":"${"x".repeat(70_000)}"}` }),
      ask(url, { method: "POST", headers: { ...headers, "content-type": "text/plain" }, body: "{}" }),
      ask(url, { method: "POST", headers, body: "{oops" }),
    ]);

    expect(answers.map(([status]) => status)).toEqual([401, 401, 404, 405, 413, 415, 400]);
  });

  it("writes neither wallet nor key into its log", () => {
    const log = service.logLines.join("\n");

    expect(log).not.toContain(TEST_KEY);
    for (const address of wallets.values()) expect(log).not.toContain(address);
  });

  async function assetList(): Promise<AssetsResponse> {
    return (await (await service.get("/v1/assets")).json()) as AssetsResponse;
  }

  async function validated(body: Readonly<Record<string, unknown>>): Promise<ValidateResponse> {
    const response = await service.post("/v1/validate", body);
    const answer: unknown = await response.json();
    expect([response.status, JSON.stringify(body), response.status === 200 ? "" : answer]).toEqual([
      200,
      JSON.stringify(body),
      "",
    ]);
    return answer as ValidateResponse;
  }

  function wallet(label: string): string {
    const address = wallets.get(label);
    if (address === undefined)
      throw new Error(`the simulator has no wallet ${label}: ${[...wallets.keys()].join(", ")}`);
    return address;
  }

  async function delistedAsset(): Promise<string> {
    const response = await fetch(`${service.simulatorUrl}/info`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"type":"meta"}',
    });
    const { universe } = (await response.json()) as { universe: { name: string; isDelisted?: boolean }[] };
    return universe.find((asset) => asset.isDelisted === true)!.name;
  }
});

/** What a client may recompute from the answer alone holds to 1e-4. */
function expectIdentities(answer: ValidateResponse, sizeUsd: number, leverage: number): void {
  const { slippage, var: risk, cost_analysis: cost, impact, fees, liquidation, meta } = answer;
  const direction = liquidation.price === 0 || liquidation.price < meta.mark_price ? 1 : -1;
  const close = (actual: number, expected: number): void => {
    expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-4 * Math.abs(expected) + 1e-9);
  };
  close(risk.dollar_95_24h!, (risk.pct_95_24h! * sizeUsd) / 100);
  close(risk.dollar_99_24h!, (risk.pct_99_24h! * sizeUsd) / 100);
  close(risk.dollar_99_4h!, (risk.pct_99_4h! * sizeUsd) / 100);
  close(risk.dollar_99_7d!, (risk.pct_99_7d! * sizeUsd) / 100);
  close(risk.margin_var_99_pct!, risk.pct_99_24h! * leverage);
  close(cost.total_entry_cost_bps!, slippage.bps! + impact.expected_bps + fees.taker_fee_bps);
  close(fees.estimated_fee_usd, (fees.taker_fee_bps * sizeUsd) / 10_000);
  close(slippage.bps!, Math.abs(slippage.fill_price! / slippage.mid_price! - 1) * 10_000);
  expect(risk.lvar_99_24h!).toBeGreaterThanOrEqual(risk.dollar_99_24h!);
  expect(risk.es_99_24h!).toBeGreaterThanOrEqual(risk.pct_99_24h!);
  expect(cost.total_round_trip_cost_bps!).toBeGreaterThanOrEqual(cost.total_entry_cost_bps!);
  if (liquidation.price > 0)
    close(liquidation.distance_pct, (1 - liquidation.price / meta.mark_price) * direction * 100);
  const { risk_score: score, recommendation } = answer;
  expect(recommendation).toBe(score <= 40 ? "proceed" : score <= 70 ? "proceed_with_caution" : "abort");
}
