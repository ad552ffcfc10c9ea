import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { err, ok } from "../../src/domain/result.ts";
import { SERVICE_ROUTES } from "../../src/gateway/gateway-endpoints.ts";
import type { GatewayReport } from "../../src/gateway/gateway-messages.ts";
import { ServiceClient } from "../../src/gateway/service-client.ts";
import type { ApiRequest } from "../../src/http/endpoint.ts";
import { WALLET, walletState } from "../support/builders.ts";

// Mutants killed by hand: every route asked for as one; the key, the parameter or the HEAD lost; bodies sent of what has none; a
// status lost; answers to the wrong request; no end to the wait.

const REQUEST: ApiRequest = {
  body: undefined,
  isHead: true,
  parameter: "BTC",
  requestId: "r-1",
  keyId: "desk",
  receivedAtMs: 5,
  reply: { isDone: false },
};
const OUTCOME = {
  ...{ trade_id: "t-1", asset: "ETH", action: "long", entry_price: 3_000, exit_price: 3_010, size: 1_000 },
  ...{ leverage: 2, risk_score_at_entry: 10, calibration_hash: "x", pnl_usd: 3.3, pnl_pct: 0.33 },
  holding_period_hours: 1,
};

describe("ServiceClient", () => {
  let sent: GatewayReport[];
  let client: ServiceClient;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    sent = [];
    client = new ServiceClient((report) => sent.push(report));
  });
  afterEach(() => vi.useRealTimers());

  it("has everything but trades answered, as its client and key asked for it", () => {
    for (const route of SERVICE_ROUTES) {
      const body = route === "outcome" ? { ...OUTCOME, note: [[]] } : { deep: [[]] };
      void client.answers[route]({ ...REQUEST, body });
    }

    expect(SERVICE_ROUTES).toHaveLength(9);
    expect(sent).toEqual(
      SERVICE_ROUTES.map((route, i) => ({
        type: "request",
        id: i + 1,
        route,
        request: {
          body: route === "outcome" ? OUTCOME : undefined,
          ...{ isHead: true, parameter: "BTC", requestId: "r-1", keyId: "desk" },
        },
      })),
    );
  });

  it("refuses an outcome that is none itself", async () => {
    const answer = await client.answers.outcome({ ...REQUEST, body: { trade_id: 7 } });

    expect(answer).toMatchObject({ ok: false, error: { code: "invalid_field" } });
    expect(sent).toEqual([]);
  });

  it("gives each request its answer, in whatever order they come, with its status", async () => {
    const { health, assets, backtest } = client.answers;
    const asked = [health, assets, backtest].map(async (ask) => {
      const answer = await ask(REQUEST);
      return answer.ok ? [answer.value.statusLine, answer.value.json()] : answer.error;
    });
    const refusal = { code: "not_found", detail: "no such asset" } as const;

    client.accept({ type: "answer", id: 3, answer: err(refusal) });
    client.accept({ type: "answer", id: 2, answer: ok({ text: "[]" }) });
    client.accept({
      type: "answer",
      id: 1,
      answer: ok({ text: "{}", statusLine: "503 Service Unavailable" }),
    });

    expect(await Promise.all(asked)).toEqual([["503 Service Unavailable", "{}"], [undefined, "[]"], refusal]);
  });

  it("says so when no answer comes, of a request and of a wallet, within ten seconds", async () => {
    const request = client.answers.assets(REQUEST);
    const wallet = client.askWallet(WALLET);

    await vi.advanceTimersByTimeAsync(9_000);

    expect(await request).toMatchObject({ ok: false, error: { code: "unavailable" } });
    expect(await wallet).toMatchObject({ newest: null, failure: { code: "timeout" } });
  });

  it("gives a wallet as the main thread knows it", async () => {
    const asked = client.askWallet(WALLET);
    const answer = { newest: { state: walletState(), knownAtMs: 7 }, failure: null };

    client.accept({ type: "wallet.answer", id: 1, answer });

    expect(sent).toEqual([{ type: "wallet.asked", id: 1, wallet: WALLET }]);
    expect(await asked).toEqual(answer);
  });

  it("says that the thread has answered, and waits until its alerts have come", async () => {
    const heard: string[] = [];
    client.alerts.connect({ send: ([text]) => heard.push(String(text)), fail: () => undefined });
    const told = client.alertsTold().then(() => heard.push("told"));

    expect(sent).toEqual([{ type: "alert.opened", socket: 1 }, { type: "drained" }]);
    client.accept({ type: "alert.send", socket: 1, texts: ["x"] });
    await Promise.resolve();
    client.accept({ type: "alerts.told" });
    await told;

    expect(heard).toEqual(["x", "told"]);
  });

  it("passes on what is for an alerts socket", () => {
    const heard: unknown[] = [];
    client.alerts.connect({
      send: (texts) => heard.push(texts),
      fail: () => heard.push("failed"),
    });

    client.accept({ type: "alert.send", socket: 1, texts: ["x"] });
    client.accept({ type: "alert.fail", socket: 1 });

    expect(sent).toEqual([{ type: "alert.opened", socket: 1 }]);
    expect(heard).toEqual([["x"], "failed"]);
  });
});
