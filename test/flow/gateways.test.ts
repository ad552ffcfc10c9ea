import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MonitorResponse, ValidateResponse } from "../../src/contracts/generated/types.ts";
import { AlertClient } from "../support/alert-client.ts";
import { builtProgram } from "../support/built-program.ts";
import { assertMatchesSchema } from "../support/closed-schema.ts";
import { type Answer, type KeptConnection, keptConnections } from "../support/kept-connection.ts";
import {
  eventsOf,
  startService,
  TEST_KEY,
  untilAllLive,
  type RunningService,
} from "../support/running-service.ts";
import { simulatorWallets } from "../support/simulator-wallets.ts";
import { refusedUpgrade, ValidateClient } from "../support/validate-client.ts";

// Mutants killed by hand: changed keys told to no other thread; a window of its own for each thread; a failed thread that
// is still handed connections; a thread that ends before its sockets; a thread that is not told of the keys that there are
// when it starts; wallets told to no other thread; keys' uses told to
// nobody, or written only at the end.

const KEYS = builtProgram("cli/keys");

describe("a service with two gateways", () => {
  let service: RunningService;
  let wallets: ReadonlyMap<string, string>;
  let four: KeptConnection[];
  let spareKey = "";
  const dataDir = mkdtempSync(join(tmpdir(), "breakwater-gateways-"));
  const [crash, preload] = [join(dataDir, "crash"), join(dataDir, "preload.cjs")];
  const keys = (...words: readonly string[]): string =>
    execFileSync(process.execPath, [KEYS, ...words], {
      encoding: "utf8",
      stdio: "pipe",
      env: { PATH: process.env["PATH"], BREAKWATER_DATA_DIR: dataDir },
    });
  const trade = (label: string, changes: object = {}): object => ({
    ...{ asset: "ETH", action: "long", size: 10_000, leverage: 5, wallet: wallets.get(label) },
    ...changes,
  });

  beforeAll(async () => {
    writeFileSync(preload, CRASH_ON.replaceAll("TRIGGER", JSON.stringify(crash)));
    service = await startService({
      BREAKWATER_GATEWAYS: "2",
      BREAKWATER_DATA_DIR: dataDir,
      NODE_OPTIONS: `--require=${preload}`,
    });
    await untilAllLive(service, 60_000);
    wallets = await simulatorWallets(service);
    four = await keptConnections(4, service.url);
  }, 90_000);

  afterAll(async () => {
    for (const connection of four) connection.close();
    await service.kill();
  });

  it("answers trades on every connection", async () => {
    for (const connection of four) {
      const single = await connection.post("/v1/validate", trade("many-positions", { explain: true }));
      const batch = await connection.post("/v1/validate/batch", {
        wallet: wallets.get("one-long"),
        trades: [
          { asset: "BTC", action: "long", size: 1_000 },
          { asset: "ETH", action: "short", size: 1_000 },
        ],
      });

      expect([single.status, batch.status]).toEqual([200, 200]);
    }
    const sockets = [
      await ValidateClient.open(service.url, TEST_KEY),
      await ValidateClient.open(service.url, TEST_KEY),
    ];
    for (const socket of sockets) {
      socket.send(
        ...Array.from({ length: 50 }, (_, id) => ({ id, request: trade("cash-only", { size: id + 1 }) })),
      );
      await socket.until(50);
      expect(socket.replies.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200));
      for (const reply of socket.replies) assertMatchesSchema("validate-reply", reply);
      socket.socket.close();
    }
  });

  it("answers everything else on every connection as one gateway does", async () => {
    const deep = `${"[".repeat(30_000)}${"]".repeat(30_000)}`;
    for (const connection of four) {
      for (const path of [
        "/health",
        "/v1/assets",
        "/v1/model-info",
        `/v1/monitor/${wallets.get("many-positions")!}`,
        "/v1/outcomes/stats",
        "/v1/calibration/health",
        "/v1/accuracy",
      ]) {
        const { status } = await connection.get(path);
        expect([path, status]).toEqual([path, 200]);
      }
      const refusals = [
        await connection.get("/v1/monitor/0x12"),
        await connection.get("/v1/backtest/NOSUCH"),
        await connection.post("/v1/outcome", { trade_id: 7 }),
        await connection.post("/v1/outcome", deep),
        await connection.get("/v1/nothing"),
        await connection.get("/v1/validate"),
      ];
      expect(refusals.map(({ status }) => status)).toEqual([400, 404, 400, 400, 404, 405]);
    }
  });

  it("tells alert subscribers on every thread what a monitor call on any finds", async () => {
    const wallet = wallets.get("brink")!;
    const subscribers = await Promise.all(Array.from({ length: 4 }, () => AlertClient.open(service.url)));
    for (const subscriber of subscribers) {
      expect(await subscriber.subscribe(wallet)).toEqual({ subscribed: wallet });
      expect(await subscriber.ask("not JSON")).toMatchObject({ error: "invalid_config" });
    }

    const proximityOf = ({ alerts }: AlertClient) =>
      alerts.filter(({ alert_type }) => alert_type === "liquidation_proximity");
    for (const [i, connection] of four.slice(0, 2).entries()) {
      const monitored = await connection.get(`/v1/monitor/${wallet}`);
      const { positions } = monitored.body as MonitorResponse;
      expect(positions[0]!.liquidation_distance_pct).toBeLessThan(5);
      expect(positions).toHaveLength(1);
      await Promise.all(subscribers.map((each) => each.until(() => proximityOf(each).length > i)));
    }

    // What else the second call found may still be under way: all have it when all have as many.
    const areEqual = (): boolean => new Set(subscribers.map(({ alerts }) => alerts.length)).size === 1;
    while (!areEqual()) await Promise.race(subscribers.map((each) => each.until(areEqual)));
    for (const subscriber of subscribers) {
      for (const alert of subscriber.alerts) assertMatchesSchema("risk-alert", alert);
      expect(proximityOf(subscriber)).toHaveLength(2);
    }
    await Promise.all(subscribers.map((subscriber) => subscriber.close()));
  });

  it("knows on each thread, without asking, the wallet that was read for the other one", async () => {
    const [mine, other] = [
      await ValidateClient.open(service.url, TEST_KEY),
      await ValidateClient.open(service.url, TEST_KEY),
    ];
    const asked = (id: number, wallet: string): object => ({
      id,
      request: trade("cash-only", { asset: "BTC", wallet }),
    });
    // Sent in one piece, for both to be read before anything is answered.
    const { _socket: tcp } = other.socket as unknown as { readonly _socket: Socket };
    let knownAtOnce = 0;
    for (let n = 1; n <= 20; n++) {
      const [known, news] = [2 * n, 2 * n + 1].map((i) => `0x${i.toString(16).padStart(40, "f")}`);
      await other.ask(asked(0, known!));
      await mine.ask(asked(1, news!));
      const before = other.replies.length;
      tcp.cork();
      other.send(asked(2, news!), asked(3, known!));
      tcp.uncork();
      await other.until(before + 2);
      // What has to be asked for comes last.
      if (other.replies[before]!.id === 2) knownAtOnce++;
    }

    // The news may be under way when the other thread is asked, but not as a rule.
    expect(knownAtOnce).toBeGreaterThan(10);
    for (const { socket } of [mine, other]) socket.close();
  });

  it("has one record of outcomes", async () => {
    const [a, b] = four as [KeptConnection, KeptConnection];
    const { body } = await a.post("/v1/validate", trade("cash-only", { asset: "BTC" }));
    const { meta, risk_score, model_version } = body as ValidateResponse;
    const outcome = {
      trade_id: "t-1",
      ...{ asset: "BTC", action: "long", size: 10_000, leverage: 5 },
      ...{ entry_price: meta.mark_price, exit_price: meta.mark_price, pnl_usd: 72.7, pnl_pct: 3.635 },
      ...{ risk_score_at_entry: risk_score, calibration_hash: model_version.calibration_hash },
      holding_period_hours: 6.5,
    };

    const first = await a.post("/v1/outcome", outcome);
    const second = await b.post("/v1/outcome", { ...outcome, pnl_usd: 1 });
    const stats = await b.get("/v1/outcomes/stats");

    expect([first.status, second.status]).toEqual([200, 409]);
    expect(stats.body).toMatchObject({ total_outcomes: 1 });
  });

  it("records an outcome whatever its ignored fields hold", async () => {
    const note = `${'{"a":'.repeat(8_000)}1${"}".repeat(8_000)}`;
    const report = `"asset":"ETH","action":"long","entry_price":3000,"exit_price":3010,"size":1000,"leverage":2,"risk_score_at_entry":10,"calibration_hash":"x","pnl_usd":3.3,"pnl_pct":0.33,"holding_period_hours":1`;
    for (const [i, connection] of four.entries()) {
      const { status, body } = await connection.post(
        "/v1/outcome",
        `{"trade_id":"deep-${i}",${report},"note":${note}}`,
      );

      expect([status, body]).toEqual([200, { status: "recorded", trade_id: `deep-${i}` }]);
    }
  });

  it("holds a key to one limit over all connections, and ends it on all", async () => {
    const printed = keys("create", "--id", "desk", "--rate", "40");
    const key = /(bw_\S+)/.exec(printed)![1]!;
    const asked = await keptConnections(4, service.url, key);
    await untilStatus(() => asked[0]!.get("/v1/assets"), 200);

    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, i) => asked[i % 4]!.post("/v1/validate", trade("cash-only"))),
    );
    const refused = answers.filter(({ status }) => status === 429);
    const upgrade = await refusedUpgrade(service.url, key);

    // One was spent to see that the key is known.
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(39);
    expect(refused).toHaveLength(81);
    expect(upgrade.status).toBe(429);
    keys("revoke", "--id", "desk");
    for (const connection of asked) await untilStatus(() => connection.get("/v1/assets"), 401);
    for (const connection of asked) connection.close();
  });

  it("answers on when a gateway thread fails: by the other one, then by another in its place", async () => {
    const before = await keptConnections(4, service.url);
    spareKey = /(bw_\S+)/.exec(keys("create", "--id", "spare"))![1]!;
    const started = startsOf(dataDir);

    writeFileSync(crash, "");
    await until(() => eventsOf(service).includes("gateway.failed"));
    const during = await keptConnections(6, service.url);
    await until(() => eventsOf(service).includes("gateway.ended"));
    const alerted = await AlertClient.open(service.url);
    const found = await Promise.all(
      before.map((connection) => connection.get("/v1/assets").catch(() => null)),
    );

    // Those of the failed thread are dropped; a client opens others.
    expect(found.filter((answer) => answer?.status === 200).length).toBeGreaterThanOrEqual(2);
    for (const connection of [...during, ...before]) {
      expect((await connection.post("/v1/validate", trade("cash-only"))).status).toBe(200);
      connection.close();
    }
    expect(await alerted.subscribe(wallets.get("brink")!)).toEqual({ subscribed: wallets.get("brink") });
    await alerted.close();
    await until(() => startsOf(dataDir) > started);
    // Asked of the main thread, which has heard of the start before.
    for (const connection of four) await connection.get("/v1/assets").catch(() => null);
    for (const connection of await keptConnections(4, service.url, spareKey)) {
      expect((await connection.get("/v1/assets")).status).toBe(200);
      connection.close();
    }
  });

  it("keeps when a key was last used, whichever thread it was used on", async () => {
    await until(() => /^desk .* 20\S+Z$/m.test(keys("list")) && !/^desk .* -$/m.test(keys("list")));
  });

  it("finishes what was asked before SIGTERM, says goodbye, and ends", async () => {
    const [alerts, validations] = [
      await AlertClient.open(service.url),
      await ValidateClient.open(service.url, TEST_KEY),
    ];
    const loaded = await keptConnections(16, service.url);
    let isEnding = false;
    const statuses: number[] = [];
    const load = loaded.map(async (connection, i) => {
      for (let n = 0; ; n++) {
        const wasEnding = isEnding;
        try {
          // Every tenth wallet is one that has never been seen: its answer takes the exchange's.
          const wallet = `0x${String(n % 10 === 0 ? 1_000 * i + n + 1 : 1).padStart(40, "0")}`;
          statuses.push((await connection.post("/v1/validate", trade("cash-only", { wallet }))).status);
        } catch (error) {
          if (!wasEnding && !isEnding) throw error;
          return n;
        }
      }
    });
    await pause(500);

    const lastAtMs = Date.now();
    const [spare] = await keptConnections(1, service.url, spareKey);
    await spare!.get("/v1/assets");
    isEnding = true;
    const code = await service.stop();
    const answered = await Promise.all(load);

    expect(code).toBe(0);
    expect(Date.parse(/^spare .* (\S+)$/m.exec(keys("list"))![1]!)).toBeGreaterThanOrEqual(lastAtMs);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(answered.every((count) => count > 0)).toBe(true);
    expect(await alerts.closed).toBe(1001);
    expect((await validations.closed).code).toBe(1001);
    const errors = service.logLines.filter((line) => line.startsWith('{"level":50'));
    expect(errors.filter((line) => !/"event":"gateway.(failed|ended)"/.test(line))).toEqual([]);
  });
});

/** Has the first gateway thread that sees the file throw where nobody catches, and each leave a file when it has started. */
const CRASH_ON = `
const { parentPort, threadId, workerData } = require("node:worker_threads");
const { unlinkSync, writeFileSync } = require("node:fs");
if (workerData?.config?.gateways === 2) {
  const post = parentPort.postMessage.bind(parentPort);
  parentPort.postMessage = (message) => {
    post(message);
    if (message.type === "started") writeFileSync(TRIGGER + "-started-" + threadId, "");
  };
  setInterval(() => {
    try { unlinkSync(TRIGGER); } catch { return; }
    throw new Error("a crash for the test");
  }, 20).unref();
}
`;

function startsOf(dataDir: string): number {
  return readdirSync(dataDir).filter((name) => name.startsWith("crash-started-")).length;
}

async function untilStatus(ask: () => Promise<Answer>, status: number): Promise<void> {
  await until(async () => (await ask()).status === status);
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error("it never came");
    await pause(20);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
