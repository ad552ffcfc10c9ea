import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { SYSTEM_CLOCK } from "../../src/domain/clock.ts";
import { err, ok } from "../../src/domain/result.ts";
import type { Outcome } from "../../src/domain/trade-outcome.ts";
import {
  ROUTES,
  serviceAnswers,
  type ServiceAnswers,
  tradeAnswers,
} from "../../src/gateway/gateway-endpoints.ts";
import { gatewayServer } from "../../src/gateway/gateway-server.ts";
import type { AssessmentDeps } from "../../src/handlers/trade-assessment.ts";
import type { Endpoint } from "../../src/http/endpoint.ts";
import type { HttpServer } from "../../src/http/http-server.ts";
import { KeyRing, storedKeyOf } from "../../src/http/key-ring.ts";
import type { Readiness } from "../../src/snapshot/engine-status.ts";
import { AlertClient } from "../support/alert-client.ts";
import { NOW_MS, WALLET, walletState } from "../support/builders.ts";
import { handlerDeps } from "../support/handler-deps.ts";
import { refusedUpgrade, ValidateClient } from "../support/validate-client.ts";

const KEY = "a-key-of-the-tests";
const OTHER_KEY = "another-key-of-the-tests";
const HEADERS = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
const OUTCOME = {
  ...{ trade_id: "t-1", asset: "ETH", action: "long", entry_price: 3_000, exit_price: 3_010, size: 1_000 },
  ...{ leverage: 2, risk_score_at_entry: 10, calibration_hash: "x", pnl_usd: 3.3, pnl_pct: 0.33 },
  holding_period_hours: 1,
};
const TRADE = { asset: "ETH", action: "long", size: 10_000, leverage: 5, wallet: WALLET };

describe("tradeAnswers", () => {
  const request = { isHead: false, parameter: "", requestId: "r-1", keyId: "desk", reply: null };

  it("count the latency from when the request's head had been read", async () => {
    const deps = handlerDeps({ account: walletState() });
    const receivedAtMs = performance.now() - 2_000;

    // The first asks the exchange for the wallet, the second has it.
    const { validate, validateBatch } = tradeAnswers(deps);
    const singles = [
      await validate({ ...request, receivedAtMs, body: TRADE }),
      await validate({ ...request, receivedAtMs, body: TRADE }),
    ];
    const batch = await validateBatch({
      ...request,
      receivedAtMs,
      body: { wallet: WALLET, trades: [TRADE, {}] },
    });

    const { results } = valueOf(batch) as { readonly results: readonly Timed[] };
    const timed = [...singles.map((single) => valueOf(single) as Timed), ...results];
    expect(timed).toHaveLength(4);
    for (const { meta } of timed) expect(meta.latency_ms).toBeGreaterThanOrEqual(2_000);
  });

  it("stop a batch whose asker has gone", async () => {
    const deps = handlerDeps({ account: walletState() });
    const body = { wallet: WALLET, trades: [TRADE, TRADE] };
    const { validateBatch } = tradeAnswers(deps);
    const ask = (reply: { readonly isDone: boolean } | null) =>
      validateBatch({ ...request, receivedAtMs: performance.now(), body, reply });

    expect(await ask({ isDone: true })).toMatchObject({ ok: false, error: { code: "timeout" } });
    for (const reply of [{ isDone: false }, null]) {
      expect(valueOf(await ask(reply))).toMatchObject({ results: [{}, {}] });
    }
  });
});

describe("gatewayServer", () => {
  let server: HttpServer | undefined;
  const logged: Logged[] = [];
  const recorded: Outcome[] = [];
  const monitored: string[] = [];
  /** What the server says of itself to threads that look for requests. */
  const busyAtMs = new Float64Array(new SharedArrayBuffer(8));
  afterEach(async () => {
    busyAtMs.fill(0);
    await server?.close();
    server = undefined;
    logged.length = 0;
    recorded.length = 0;
    monitored.length = 0;
  });

  it("asks for a key everywhere but at /health", async () => {
    const url = await started();

    for (const { method, path } of Object.values(ROUTES)) {
      const { status } = await fetch(`${url}${path.replace(/:\w+/, "x")}`, { method });
      expect([path, status]).toEqual([path, path === "/health" ? 200 : 401]);
    }
    expect((await refusedUpgrade(url, undefined)).status).toBe(401);
  });

  it("says with the status of /health whether it is ready", async () => {
    expect((await fetch(`${await started({ readiness: "starting" })}/health`)).status).toBe(503);
  });

  it("tells alert subscribers what a GET of a wallet finds, and answers a HEAD without", async () => {
    const url = `${await started()}/v1/monitor/${WALLET}`;

    const head = await fetch(url, { method: "HEAD", headers: HEADERS });
    expect([head.status, await head.text(), monitored]).toEqual([200, "", []]);

    expect((await fetch(url, { headers: HEADERS })).status).toBe(200);
    expect(monitored).toEqual([WALLET]);
  });

  it("has an outcome recorded as the key's that reported it", async () => {
    const url = await started();

    const response = await fetch(`${url}/v1/outcome`, {
      method: "POST",
      headers: HEADERS,
      body: JSON.stringify(OUTCOME),
    });

    expect(response.status).toBe(200);
    expect(recorded).toEqual([expect.objectContaining({ tradeId: "t-1", reportedBy: "desk" })]);
  });

  it.each([
    [0, false],
    [100, true],
  ])("looks for the next request where it is to, for %d µs", async (busyPollUs, isSaid) => {
    const url = await started({ busyPollUs });

    await fetch(`${url}/v1/validate`, { method: "POST", headers: HEADERS, body: JSON.stringify(TRADE) });

    expect(busyAtMs[0]! > 0).toBe(isSaid);
  });

  it("reads bodies of 64 KiB and no more", async () => {
    const url = await started();
    const body = JSON.stringify(TRADE).padEnd(64 * 1024);

    const [most, more] = [body, `${body} `].map((text) =>
      fetch(`${url}/v1/validate`, { method: "POST", headers: HEADERS, body: text }),
    );

    expect([(await most!).status, (await more!).status]).toEqual([200, 413]);
  });

  it("takes its share of all sockets, and logs whom it has no room for", async () => {
    // Of 1000 validate sockets and 10 000 alert sockets.
    const url = await started({ gateways: 400 });

    const keys = [KEY, KEY, OTHER_KEY];
    const validations = await Promise.all(keys.map((key) => ValidateClient.open(url, key)));
    const alerts = await Promise.all(Array.from({ length: 25 }, () => AlertClient.open(url)));

    expect((await refusedUpgrade(url, KEY)).status).toBe(503);
    expect(logged).toEqual([
      expect.objectContaining({ event: "validate.cut", reason: "no_room", clients: 1 }),
    ]);
    await expect(AlertClient.open(url)).rejects.toThrow("503");
    expect(logged[1]).toMatchObject({ event: "alert.cut", reason: "no_room", clients: 1 });
    for (const { socket } of [...validations, ...alerts]) socket.terminate();
  });

  it("logs a request that failed with its id, and answers with that", async () => {
    const url = await started({}, (answers) => ({
      ...answers,
      assets: () => {
        throw new Error("inside");
      },
    }));

    const response = await fetch(`${url}/v1/assets`, { headers: HEADERS });

    expect(response.status).toBe(500);
    expect(logged).toEqual([expect.objectContaining({ event: "request.failed", path: "/v1/assets" })]);
    const { detail } = (await response.json()) as { readonly detail: string };
    expect(detail).toContain(` ${logged[0]!.requestId!} `);
  });

  async function started(
    {
      readiness = "ready",
      gateways = 1,
      busyPollUs = 0,
    }: { readonly readiness?: Readiness; readonly gateways?: number; readonly busyPollUs?: number } = {},
    changed = (answers: ServiceAnswers): ServiceAnswers => answers,
  ): Promise<string> {
    const assessment = handlerDeps({ account: walletState(), readiness });
    server = gatewayServer({
      answers: { ...tradeAnswers(assessment), ...changed(servicesOf(assessment)) },
      connectAlerts: () => ({ reply: () => null, closed: () => undefined }),
      keys: new KeyRing([storedKeyOf("desk", KEY), storedKeyOf("other", OTHER_KEY)], 1_000, SYSTEM_CLOCK),
      tls: undefined,
      busyPollUs,
      busyThreads: { memory: busyAtMs.buffer, place: 0 },
      gateways,
      logger: pino({ level: "warn" }, { write: (line) => logged.push(JSON.parse(line) as Logged) }),
    });
    return `http://127.0.0.1:${String(await server.listen("127.0.0.1", 0))}`;
  }

  function servicesOf(assessment: AssessmentDeps): ServiceAnswers {
    // The built engine spoke then.
    const facts = { engineVersion: "0.0.0", uptimeMs: 0, nowMs: NOW_MS, exchangeName: "built" };
    return serviceAnswers({
      assessment: { ...assessment, onMonitored: ({ wallet }) => monitored.push(wallet) },
      service: () => ({ ...facts, isDraining: false, hasBeenReady: false, isRecordWritable: true }),
      records: {
        accuracy: null,
        statistics: () => Promise.resolve(err({ code: "records_unavailable" })),
        record: (outcome) => {
          recorded.push(outcome);
          return Promise.resolve(ok("recorded"));
        },
      },
    });
  }
});

interface Timed {
  readonly meta: { readonly latency_ms: number };
}

interface Logged {
  readonly event: string;
  readonly requestId?: string;
}

function valueOf(result: Awaited<ReturnType<Endpoint["answer"]>>): unknown {
  expect(result.ok).toBe(true);
  return result.ok ? JSON.parse(Buffer.from(result.value.json()).toString("utf8")) : undefined;
}
