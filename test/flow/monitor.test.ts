import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MonitorResponse } from "../../src/contracts/generated/types.ts";
import { simulatorWallets } from "../support/simulator-wallets.ts";
import { startService, untilReady, type RunningService, WHOLE_MARKET } from "../support/running-service.ts";

/** GET /v1/monitor on the whole program and the embedded exchange. */
describe("monitoring a wallet of the simulated exchange", () => {
  let service: RunningService;
  let wallets: ReadonlyMap<string, string>;

  beforeAll(async () => {
    service = await startService(WHOLE_MARKET);
    await untilReady(service, 60_000);
    wallets = await simulatorWallets(service);
  }, 90_000);

  afterAll(async () => {
    await service.stop();
  });

  it("serves the last state with its flag while the exchange fails, and says 502 where there is none", async () => {
    // First in this file: a wallet that was asked for often is streamed, and an outage of requests does not touch it.
    const known = wallet("sub-account");
    await monitored(known);
    await fetch(`${service.simulatorUrl}/control/scenario`, {
      method: "POST",
      body: JSON.stringify({ type: "http_500", duration_s: 60 }),
    });

    const cold = await service.get("/v1/monitor/0x00000000000000000000000000000000000c01d0");
    // The state must grow old; asking meanwhile would make the wallet hot, and its stream would keep it fresh.
    await new Promise((resolve) => setTimeout(resolve, 5_100));
    const late = await monitored(known);
    await fetch(`${service.simulatorUrl}/control/scenarios`, { method: "DELETE" });
    const recovered = await monitored(known);

    expect(cold.status).toBe(502);
    expect(late.state_age_ms).toBeGreaterThan(5_000);
    expect([late.flags, recovered.flags]).toEqual([["stale_wallet_state"], []]);
    expect(late.positions.every(({ flags }) => flags.includes("stale_wallet_state"))).toBe(true);
    expect(late.positions.every(({ recommendation }) => recommendation !== "proceed")).toBe(true);
    expect(recovered.state_age_ms).toBeLessThan(5_000);
    expect(recovered.positions[0]!.flags).not.toContain("stale_wallet_state");
  }, 40_000);

  it("lists every position that the exchange has, of every account, in the published shape", async () => {
    for (const [label, address] of wallets) {
      if (label === "agent") continue;
      const body = await monitored(address);
      const state = await exchangeState(address);

      expect(body.wallet).toBe(address);
      expect([label, body.positions.map(({ asset }) => asset)]).toEqual([label, state.positions]);
      expect([label, body.portfolio_risk !== undefined]).toEqual([label, state.positions.length >= 2]);
      expect([label, body.portfolio_stress !== undefined]).toEqual([label, state.positions.length >= 1]);
      expect(body.portfolio_risk?.position_count ?? 0).toBe(
        state.positions.length < 2 ? 0 : state.positions.length,
      );
      for (const position of body.positions) expectPositionIdentities(position);
    }
  });

  it("values a standard account as the exchange does", async () => {
    for (const label of ["one-long", "many-positions", "isolated-three", "mixed-modes", "whale-tiers"]) {
      const body = await monitored(wallet(label));
      const state = await exchangeState(wallet(label));

      // The marks move between the two readings: by far less than this.
      expect(body.account_value / state.accountValueUsd).toBeCloseTo(1, 1);
      expect(body.total_margin_used / state.marginUsedUsd).toBeCloseTo(1, 1);
    }
  });

  it("attributes the portfolio's risk: components add up, stress is of the account's value", async () => {
    const body = await monitored(wallet("many-positions"));

    const attribution = body.portfolio_attribution!;
    const sum = attribution.positions.reduce((total, { component_var }) => total + component_var, 0);
    expect(attribution.positions).toHaveLength(12);
    expect(sum).toBeCloseTo(attribution.total_var_99, 4);
    expect(attribution.total_var_99).toBe(body.portfolio_risk!.portfolio_var_99_24h);
    const stress = body.portfolio_stress!;
    expect(stress.total_pnl_pct).toBeCloseTo((100 * stress.total_pnl_usd) / body.account_value, 6);
    expect(stress.total_pnl_usd).toBeLessThan(0);
    expect(body.portfolio_risk!.monte_carlo!.liquidation_probability).toBeGreaterThanOrEqual(0);
  });

  it("is more afraid of what is nearer to liquidation", async () => {
    const brink = (await monitored(wallet("brink"))).positions[0]!;
    const calm = (await monitored(wallet("one-long"))).positions[0]!;

    expect(brink.liquidation_distance_pct).toBeLessThan(2);
    expect(brink.flags).toContain("near_liquidation");
    expect(brink.recommendation).toBe("abort");
    expect(calm.risk_score).toBeLessThan(brink.risk_score);
  });

  it("takes any letter case and refuses what is no wallet, with the published wording", async () => {
    const address = wallet("one-long");
    const upper = await monitored(`0x${address.slice(2).toUpperCase()}`);
    expect(upper.wallet).toBe(address);

    for (const bad of ["0x12", address.slice(0, 41), `${address}0`, address.replace("0x", "1x"), "%20"]) {
      const response = await service.get(`/v1/monitor/${bad}`);
      const body: unknown = await response.json();
      const given = decodeURIComponent(bad);
      expect([response.status, body]).toEqual([
        400,
        { error: "validation_error", detail: `invalid wallet address: ${given}` },
      ]);
    }
  });

  it("knows the flags of what it cannot see whole: unified accounts, new and thin markets", async () => {
    const unified = await monitored(wallet("unified"));
    const fresh = await monitored(wallet("new-listings"));
    const thin = await monitored(wallet("thin-holder"));

    expect(unified.positions[0]!.flags).toContain("unified_account");
    expect(unified.account_value).toBeGreaterThan(20_000);
    expect(fresh.positions.some(({ flags }) => flags.includes("limited_history"))).toBe(true);
    expect(thin.positions[0]!.flags).toContain("extreme_slippage");
  });

  it("needs a key and only answers GET", async () => {
    const path = `${service.url}/v1/monitor/${wallet("empty")}`;
    const noKey = await fetch(path);
    const post = await service.post(`/v1/monitor/${wallet("empty")}`, {});

    expect([noKey.status, post.status]).toEqual([401, 405]);
  });

  async function monitored(address: string): Promise<MonitorResponse> {
    const response = await service.get(`/v1/monitor/${address}`);
    const body: unknown = await response.json();
    expect([response.status, body]).toMatchObject([200, {}]);
    return body as MonitorResponse;
  }

  function wallet(label: string): string {
    return wallets.get(label)!;
  }

  async function exchangeState(user: string): Promise<{
    readonly positions: string[];
    readonly accountValueUsd: number;
    readonly marginUsedUsd: number;
  }> {
    const response = await fetch(`${service.simulatorUrl}/info`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ type: "clearinghouseState", user }),
    });
    const state = (await response.json()) as {
      marginSummary: { accountValue: string; totalMarginUsed: string };
      assetPositions: { position: { coin: string } }[];
    };
    return {
      positions: state.assetPositions.map(({ position }) => position.coin),
      accountValueUsd: Number(state.marginSummary.accountValue),
      marginUsedUsd: Number(state.marginSummary.totalMarginUsed),
    };
  }
});

/** What a client may recompute from a position alone. */
function expectPositionIdentities(position: MonitorResponse["positions"][number]): void {
  const { size, entry_price: entry, mark_price: mark, risk_score: score, var: risk } = position;
  const pnlUsd = size * (mark - entry);
  expect(position.unrealized_pnl).toBeCloseTo(pnlUsd, 4);
  expect(Math.sign(position.unrealized_pnl_pct)).toBe(Math.sign(position.unrealized_pnl));
  expect(position.recommendation).toBe(
    score <= 40 ? "proceed" : score <= 70 ? "proceed_with_caution" : "abort",
  );
  if (risk.pct_99_24h === null) return;
  const notionalUsd = Math.abs(size) * mark;
  expect(risk.dollar_99_24h! / ((risk.pct_99_24h * notionalUsd) / 100)).toBeCloseTo(1, 4);
  expect(risk.lvar_99_24h!).toBeGreaterThanOrEqual(risk.dollar_99_24h!);
}
