import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ValidateResponse } from "../../src/contracts/generated/types.ts";
import { builtProgram } from "../support/built-program.ts";
import { assertMatchesSchema } from "../support/closed-schema.ts";
import { startService, TEST_KEY, untilAllLive, type RunningService } from "../support/running-service.ts";
import { simulatorWallets } from "../support/simulator-wallets.ts";
import { refusedUpgrade, ValidateClient } from "../support/validate-client.ts";

const KEYS = builtProgram("cli/keys");

/** Real clients on the whole program; every reply is checked against its published schema, closed. */
describe("the validate socket of the running service", () => {
  let service: RunningService;
  let wallets: ReadonlyMap<string, string>;
  const dataDir = mkdtempSync(join(tmpdir(), "breakwater-socket-"));

  beforeAll(async () => {
    service = await startService({ BREAKWATER_DATA_DIR: dataDir });
    await untilAllLive(service, 60_000);
    wallets = await simulatorWallets(service);
  }, 90_000);

  afterAll(async () => {
    await service.stop();
  });

  it("answers a thousand pipelined requests, each with its id and its own numbers", async () => {
    const client = await ValidateClient.open(service.url, TEST_KEY);
    await client.ask({ id: "warm", request: trade("cash-only", { size: 1 }) });

    client.send(
      ...Array.from({ length: 1_000 }, (_, i) => ({ id: i, request: trade("cash-only", { size: i + 1 }) })),
    );
    await client.until(1_001);

    const replies = client.replies.slice(1);
    expect(replies.map(({ id }) => id)).toEqual(Array.from({ length: 1_000 }, (_, i) => i));
    replies.forEach((reply, i) => {
      assertMatchesSchema("validate-reply", reply);
      const { fees, meta } = reply.body as ValidateResponse;
      expect(fees.estimated_fee_usd / fees.taker_fee_bps).toBeCloseTo((i + 1) / 1e4, 9);
      expect(meta.latency_ms).toBeGreaterThan(0);
    });
    const requestIds = new Set(replies.map(({ body }) => (body as ValidateResponse).meta.request_id));
    expect(requestIds.size).toBe(1_000);
    client.socket.close();
  });

  it("says of every trade what the POST says, cold wallets included", async () => {
    const client = await ValidateClient.open(service.url, TEST_KEY);
    const accounts = [...wallets.keys()].filter((label) => label !== "agent");
    const requests = accounts.map((label) => trade(label, { monte_carlo: true, explain: true }));

    client.send(...requests.map((request, id) => ({ id, request })));
    await client.until(requests.length);

    for (const reply of client.replies) {
      assertMatchesSchema("validate-reply", reply);
      const posted = (await (
        await service.post("/v1/validate", requests[reply.id as number])
      ).json()) as ValidateResponse;
      expect(reply.status).toBe(200);
      const { meta, liquidation } = reply.body as ValidateResponse;
      expect(meta.asset).toBe(posted.meta.asset);
      expect(meta.leverage).toBe(posted.meta.leverage);
      expect(liquidation.mode).toBe(posted.liquidation.mode);
      expect(Object.keys(reply.body)).toEqual(Object.keys(posted));
    }
    client.socket.close();
  }, 30_000);

  it("gives the bodies of the errors, and an exit its answer", async () => {
    const client = await ValidateClient.open(service.url, TEST_KEY);
    const replies = [
      await client.ask("not json"),
      await client.ask({ id: 1, request: trade("cash-only", { asset: "NOPE" }) }),
      await client.ask({ id: 2, request: trade("cash-only", { leverage: 1_000 }) }),
      await client.ask({ id: 3, request: trade("cash-only", { leverage: undefined, leverge: 2 }) }),
      await client.ask({ id: 4, request: trade("cash-only", { action: "close", leverage: 1_000 }) }),
      await client.ask({ id: 5, request: [trade("cash-only", {})] }),
    ];

    for (const reply of replies) assertMatchesSchema("validate-reply", reply);
    expect(replies.map(({ id, status }) => [id, status])).toEqual([
      [null, 400],
      [1, 400],
      [2, 400],
      [3, 400],
      [4, 200],
      [5, 400],
    ]);
    expect(replies[1]!.body).toEqual({ error: "validation_error", detail: "invalid asset: NOPE" });
    expect(replies[4]!.body).toMatchObject({ recommendation: "proceed" });
    expect(replies[5]!.body).toEqual({ error: "validation_error", detail: "request must be of type object" });
    client.socket.close();
  });

  it("shares the key's limit with the POST, and closes when the key is revoked", async () => {
    const environment = { PATH: process.env["PATH"], BREAKWATER_DATA_DIR: dataDir };
    const keys = (...args: string[]): string =>
      execFileSync(process.execPath, [KEYS, ...args], { encoding: "utf8", env: environment });
    const key = /key \(shown once\): (\S+)/.exec(keys("create", "--id", "desk", "--rate", "5"))![1]!;
    await untilKnown(key);
    const client = await ValidateClient.open(service.url, key);
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const post = () =>
      fetch(`${service.url}/v1/validate`, {
        method: "POST",
        headers,
        body: JSON.stringify(trade("cash-only")),
      });

    const warm = await client.ask({ id: 1, request: trade("cash-only") });
    const posted = await post();
    client.send(...[2, 3, 4].map((id) => ({ id, request: trade("cash-only") })));
    await client.until(4);

    expect([warm.status, posted.status]).toEqual([200, 200]);
    expect(client.replies.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
    for (const reply of client.replies) assertMatchesSchema("validate-reply", reply);
    assertMatchesSchema("rate-limit-error", client.replies[3]!.body);
    expect((await post()).status).toBe(429);

    keys("revoke", "--id", "desk");
    expect(await client.closed).toEqual({ code: 1008, reason: "the key is no longer valid" });
    expect((await refusedUpgrade(service.url, key)).status).toBe(401);
  }, 30_000);

  it("lives on when a client vanishes in the middle of a burst", async () => {
    const half = await ValidateClient.open(service.url, TEST_KEY);
    half.send(...Array.from({ length: 200 }, (_, id) => ({ id, request: trade("cash-only") })));
    half.socket.terminate();
    const raw = connect(Number(new URL(service.url).port), "127.0.0.1");
    raw.write("GET /v1/validate/ws HTTP/1.1\r\nHost: x\r\n");
    raw.destroy();

    const client = await ValidateClient.open(service.url, TEST_KEY);
    expect((await client.ask({ id: "after", request: trade("cash-only") })).status).toBe(200);
    client.socket.close();
  });

  it("answers what is no upgrade as any other path does", async () => {
    const get = await service.get("/v1/validate/ws");
    const post = await service.post("/v1/validate/ws", {});

    expect([get.status, post.status, post.headers.get("allow")]).toEqual([400, 405, "GET"]);
  });

  it("says goodbye with 1001 when the service stops", async () => {
    const client = await ValidateClient.open(service.url, TEST_KEY);

    const stopped = service.stop();

    expect((await client.closed).code).toBe(1001);
    expect(await stopped).toBe(0);
    service = await startService({ BREAKWATER_DATA_DIR: dataDir });
  }, 30_000);

  /** A key made by the command is known to the service within a second; a refusal does not count, the first answer does. */
  async function untilKnown(key: string): Promise<void> {
    const headers = { authorization: `Bearer ${key}` };
    while ((await fetch(`${service.url}/v1/model-info`, { headers })).status !== 200);
  }

  function trade(label: string, changes: Readonly<Record<string, unknown>> = {}): object {
    return { asset: "BTC", action: "long", size: 500, leverage: 5, wallet: wallets.get(label), ...changes };
  }
});
