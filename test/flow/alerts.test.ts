import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { MonitorResponse, RiskAlert } from "../../src/contracts/generated/types.ts";
import { AlertClient } from "../support/alert-client.ts";
import { assertMatchesSchema } from "../support/closed-schema.ts";
import { startService, untilReady, type RunningService } from "../support/running-service.ts";
import { simulatorWallets } from "../support/simulator-wallets.ts";

const NEVER = {
  max_risk_score: 255,
  min_liquidation_distance_pct: -1,
  max_portfolio_var_pct: 1e12,
  max_funding_drag_daily_pct: 1e12,
} as const;

/** Real clients on the whole program; every message is checked against its published schema, closed. */
describe("alerts of the running service", () => {
  let service: RunningService;
  let wallets: ReadonlyMap<string, string>;
  const clients: AlertClient[] = [];

  beforeAll(async () => {
    service = await startService();
    await untilReady(service, 60_000);
    wallets = await simulatorWallets(service);
  }, 90_000);

  afterEach(async () => {
    for (const client of clients) {
      for (const message of client.received) expectKnownMessage(message);
    }
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await endScenarios();
  });

  afterAll(async () => {
    await service.stop();
  });

  it("answers a config with the wallet in lower case, without a key", async () => {
    const client = await connected();
    const address = wallet("one-long");

    const reply = await client.subscribe(`0x${address.slice(2).toUpperCase()}`);

    expect(reply).toEqual({ subscribed: address });
    assertMatchesSchema("alert-subscribed", reply);
  });

  it("tells exactly what the monitor call found, by the defaults", async () => {
    for (const label of [
      "brink",
      "near-liquidation-cross",
      "near-liquidation-isolated",
      "many-positions",
      "whale-tiers",
    ]) {
      const client = await connected();
      await client.subscribe(wallet(label));

      const found = await monitored(wallet(label));
      await flushed(client, wallet(label));

      const expected = found.positions.flatMap((position) => [
        ...(position.liquidation_distance_pct < 5
          ? [["liquidation_proximity", position.asset, position.liquidation_distance_pct, 5]]
          : []),
        ...(position.risk_score > 70 ? [["high_risk_score", position.asset, position.risk_score, 70]] : []),
        ...(position.funding_drag_24h_pct > 1
          ? [["funding_drag_excessive", position.asset, position.funding_drag_24h_pct, 1]]
          : []),
      ]);
      const varPct = (100 * found.portfolio_attribution!.total_var_99) / found.account_value;
      const got = client.alerts.map((alert) => [
        alert.alert_type,
        alert.asset,
        alert.current_value,
        alert.threshold,
      ]);
      const ofPositions = got.filter(([, asset]) => asset !== null);
      expect([label, ofPositions]).toEqual([label, expected]);
      const ofPortfolio = client.alerts.filter(({ asset }) => asset === null);
      expect([label, ofPortfolio.length]).toEqual([label, varPct > 50 ? 1 : 0]);
      if (varPct > 50) expect(ofPortfolio[0]!.current_value / varPct).toBeCloseTo(1, 6);
      for (const alert of client.alerts) expectSeverityOfTheTable(alert);
    }
  });

  it("calls critical what the specification does", async () => {
    const client = await connected();
    await client.subscribe(wallet("brink"));

    await monitored(wallet("brink"));
    await flushed(client, wallet("brink"));

    const severities = new Map(client.alerts.map((alert) => [alert.alert_type, alert.severity]));
    expect(severities.get("liquidation_proximity")).toBe("critical");
    expect(severities.get("portfolio_var_breach")).toBe("warning");
  });

  it("says nothing of its own accord, nothing to other wallets, nothing after the client has gone", async () => {
    const [own, other, gone] = [await connected(), await connected(), await connected()];
    await own.subscribe(wallet("brink"));
    await other.subscribe(wallet("near-liquidation-cross"), NEVER);
    await gone.subscribe(wallet("brink"));
    const alertsWithoutCall = own.alerts.length;
    await gone.close();

    await monitored(wallet("brink"));
    await own.until(() => own.alerts.length > 0);
    await flushed(other, wallet("near-liquidation-cross"));

    expect(alertsWithoutCall).toBe(0);
    expect(other.alerts).toEqual([]);
    expect(gone.alerts).toEqual([]);
  });

  it("lets a later config take the place of the first, wallet and thresholds alike", async () => {
    const client = await connected();
    await client.subscribe(wallet("brink"), NEVER);
    await monitored(wallet("brink"));
    expect(
      await client.subscribe(wallet("near-liquidation-cross"), {
        ...NEVER,
        min_liquidation_distance_pct: 50,
      }),
    ).toEqual({
      subscribed: wallet("near-liquidation-cross"),
    });

    await monitored(wallet("brink"));
    await monitored(wallet("near-liquidation-cross"));
    await client.until(() => client.alerts.length > 0);

    expect(client.alerts.map(({ alert_type, wallet: of }) => [alert_type, of])).toEqual([
      ["liquidation_proximity", wallet("near-liquidation-cross")],
    ]);
  });

  it("treats a client that comes back as a new one", async () => {
    const first = await connected();
    await first.subscribe(wallet("brink"));
    first.socket.terminate();
    await first.closed;
    const second = await connected();
    await second.subscribe(wallet("brink"));

    await monitored(wallet("brink"));
    await second.until(() => second.alerts.length > 0);

    expect(first.alerts).toEqual([]);
  });

  it("tells of each threshold once it is crossed: funding spikes, then the market crashes", async () => {
    const client = await connected();
    const address = wallet("one-long");
    const thresholds = { min_liquidation_distance_pct: 25, max_portfolio_var_pct: 30 };
    await client.subscribe(address, thresholds);
    await monitored(address);
    await flushed(client, address, thresholds);
    expect(client.alerts).toEqual([]);

    await scenario({ type: "funding_spike", asset: "BTC", magnitude: 0.03, duration_s: 600 });
    await monitoredUntilTold(address, client, "funding_drag_excessive");
    expect(typesTold(client)).not.toContain("high_risk_score");
    // Ended, the spike moves no mark for minutes to come; and the price that the crash leaves, when it has given back a part
    // of its fall, is 29 % above the liquidation price: what is waited for does not pass while nobody looks.
    await endScenarios();
    await client.subscribe(address, { ...thresholds, min_liquidation_distance_pct: 35 });
    await scenario({ type: "crash", asset: "BTC", magnitude: 0.36, duration_s: 12 });
    await monitoredUntilTold(address, client, "high_risk_score");
    await monitoredUntilTold(address, client, "portfolio_var_breach");
    await monitoredUntilTold(address, client, "liquidation_proximity");
    await monitoredUntilTold(address, client, "regime_shift");

    for (const alert of client.alerts) expectSeverityOfTheTable(alert);
    const shift = client.alerts.find(({ alert_type }) => alert_type === "regime_shift")!;
    expect(shift).toMatchObject({ asset: "BTC", threshold: 0 });
    expect([1, 2]).toContain(shift.current_value);
  }, 120_000);

  it("refuses a malformed config in words that name the field, and listens on", async () => {
    const client = await connected();
    const address = wallet("brink");
    const ofThresholds = (thresholds: unknown): unknown => ({ wallet: address, thresholds });
    const cases: readonly (readonly [unknown, string])[] = [
      ["{", "not JSON"],
      ["", "not JSON"],
      ["[]", "the message"],
      ["null", "the message"],
      ["7", "the message"],
      [{}, "wallet"],
      [{ wallet: 7 }, "wallet"],
      [{ wallet: "0x12" }, "invalid wallet address: 0x12"],
      [{ wallet: `${address}0` }, "invalid wallet address"],
      [{ Wallet: address }, "wallet"],
      [{ wallet: address, threshold: {} }, "thresholds"],
      [ofThresholds([]), "thresholds"],
      [ofThresholds("x"), "thresholds"],
      [ofThresholds({ max_risk_score: "70" }), "thresholds.max_risk_score"],
      [ofThresholds({ max_risk_score: 70.5 }), "thresholds.max_risk_score"],
      [ofThresholds({ max_risk_score: -1 }), "thresholds.max_risk_score"],
      [ofThresholds({ max_risk_score: 256 }), "thresholds.max_risk_score"],
      [{ wallet: address, max_risk_score: 60 }, "thresholds.max_risk_score"],
      [ofThresholds({ min_liquidation_distance_pct: true }), "thresholds.min_liquidation_distance_pct"],
      [ofThresholds({ max_portfolio_var_pct: [] }), "thresholds.max_portfolio_var_pct"],
      [
        `{"wallet":"${address}","thresholds":{"max_funding_drag_daily_pct":1e999}}`,
        "max_funding_drag_daily_pct",
      ],
      [ofThresholds({ maxRiskScore: 1 }), "max_risk_score"],
      [ofThresholds({ min_liquidation_distance: 1 }), "thresholds.min_liquidation_distance"],
      [ofThresholds({ leverage: 1 }), "thresholds.leverage"],
      [`{"wallet":"${address}","thresholds":{"__proto__":1}}`, "thresholds.__proto__"],
      [`{"wallet":"${address}","thresholds":{"max_risk_score":NaN}}`, "not JSON"],
      [
        JSON.stringify({ wallet: address, note: "x".repeat(16_000) }),
        "the message must be at most 4096 characters",
      ],
    ];

    for (const [config, words] of cases) {
      const reply = await client.ask(config);
      assertMatchesSchema("alert-rejection", reply);
      expect([config, (reply as { detail: string }).detail]).toEqual([
        config,
        expect.stringContaining(words),
      ]);
    }
    const bytes = await client.ask(Buffer.from(JSON.stringify({ wallet: "Zé" }), "latin1"));
    assertMatchesSchema("alert-rejection", bytes);
    expect(bytes).toEqual({ error: "invalid_config", detail: "the message is not UTF-8" });

    expect(await client.subscribe(address)).toEqual({ subscribed: address });
    expect(await client.ask(Buffer.from(JSON.stringify({ wallet: address })))).toEqual({
      subscribed: address,
    });
  });

  it("accepts the ends of the score's range, and any finite bound", async () => {
    const client = await connected();
    const address = wallet("empty");
    for (const thresholds of [
      { max_risk_score: 0 },
      { max_risk_score: 255 },
      { max_risk_score: 70.0 },
      { min_liquidation_distance_pct: -1e300, max_portfolio_var_pct: 1e300, max_funding_drag_daily_pct: 0 },
      {},
    ]) {
      expect(await client.subscribe(address, thresholds)).toEqual({ subscribed: address });
    }
  });

  it("reaches two thousand subscribers of a wallet with each call, in the order of the calls", async () => {
    const crowd: AlertClient[] = [];
    for (let i = 0; i < 2_000; i += 100) {
      crowd.push(...(await Promise.all(Array.from({ length: 100 }, () => connected()))));
    }
    const address = wallet("brink");
    const thresholds = { ...NEVER, min_liquidation_distance_pct: 5 };
    await Promise.all(crowd.map((client) => client.subscribe(address, thresholds)));

    const values: number[] = [];
    for (let call = 0; call < 3; call++) {
      values.push((await monitored(address)).positions[0]!.liquidation_distance_pct);
    }
    await Promise.all(crowd.map((client) => client.until(() => client.alerts.length === 3)));

    for (const client of crowd) {
      expect(client.alerts.map(({ current_value }) => current_value)).toEqual(values);
    }
  }, 120_000);

  it("keeps up with a storm of monitor calls: one alert a call, none lost, none for the others", async () => {
    const [client, other] = [await connected(), await connected()];
    const thresholds = { ...NEVER, min_liquidation_distance_pct: 50 };
    await client.subscribe(wallet("brink"), thresholds);
    await other.subscribe(wallet("empty"), thresholds);

    const calls = Array.from({ length: 300 }, () => service.get(`/v1/monitor/${wallet("brink")}`));
    const statuses = await Promise.all(calls.map(async (call) => (await call).status));
    await client.until(() => client.alerts.length === 300);
    await flushed(other, wallet("empty"));

    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(client.alerts).toHaveLength(300);
    expect(other.alerts).toEqual([]);
  }, 60_000);

  it("answers what is no upgrade as any other path does", async () => {
    const get = await fetch(`${service.url}/v1/alerts/ws`);
    const post = await service.post("/v1/alerts/ws", {});

    expect([get.status, post.status, post.headers.get("allow")]).toEqual([400, 405, "GET"]);
  });

  async function connected(): Promise<AlertClient> {
    const client = await AlertClient.open(service.url);
    clients.push(client);
    return client;
  }

  async function monitored(address: string): Promise<MonitorResponse> {
    const response = await service.get(`/v1/monitor/${address}`);
    return (await response.json()) as MonitorResponse;
  }

  /** Everything that was sent before has come: a reply overtakes no alert once the calls' fan-outs ran. */
  async function flushed(
    client: AlertClient,
    address: string,
    thresholds: Readonly<Record<string, number>> = {},
  ): Promise<void> {
    await fetch(`${service.url}/health`);
    await client.subscribe(address, thresholds);
  }

  async function monitoredUntilTold(
    address: string,
    client: AlertClient,
    type: RiskAlert["alert_type"],
  ): Promise<void> {
    while (!typesTold(client).has(type)) {
      await monitored(address);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async function scenario(body: Readonly<Record<string, unknown>>): Promise<void> {
    const response = await fetch(`${service.simulatorUrl}/control/scenario`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
  }

  async function endScenarios(): Promise<void> {
    const response = await fetch(`${service.simulatorUrl}/control/scenarios`, { method: "DELETE" });
    expect(response.status).toBe(200);
  }

  function wallet(label: string): string {
    return wallets.get(label)!;
  }
});

function typesTold(client: AlertClient): ReadonlySet<RiskAlert["alert_type"]> {
  return new Set(client.alerts.map(({ alert_type }) => alert_type));
}

function expectKnownMessage(message: unknown): void {
  const name =
    typeof message === "object" && message !== null && "alert_type" in message
      ? "risk-alert"
      : typeof message === "object" && message !== null && "subscribed" in message
        ? "alert-subscribed"
        : "alert-rejection";
  assertMatchesSchema(name, message);
}

function expectSeverityOfTheTable({ alert_type, current_value, severity }: RiskAlert): void {
  const isCritical =
    (alert_type === "high_risk_score" && current_value >= 85) ||
    (alert_type === "liquidation_proximity" && current_value < 2) ||
    (alert_type === "regime_shift" && current_value === 2);
  expect(severity).toBe(isCritical ? "critical" : "warning");
}
