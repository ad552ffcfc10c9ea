import { once } from "node:events";
import { afterEach, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { ALERT_SOCKET_LIMITS, ALERTS_PATH, alertSockets } from "../../src/http/alerts-socket.ts";
import type { SocketClient, SocketLimits } from "../../src/http/client-socket.ts";
import type { ClientSockets } from "../../src/http/client-sockets.ts";
import { HttpServer } from "../../src/http/http-server.ts";
import { KeyRing } from "../../src/http/key-ring.ts";
import { AlertClient } from "../support/alert-client.ts";
import { assertMatchesSchema } from "../support/closed-schema.ts";

// Mutants killed by hand: no per-client bound; no bound over all; the total not given back when a socket closes; slow
// clients closed with 1006; flooding not counted; the count not reset by a ping, nor that of pings; pings not counted, or for ever; no ping; a refused upgrade left open;
// closeAll without a code; a throwing connection that takes the process with it.

const MEGABYTE = JSON.stringify("x".repeat(1024 * 1024));

describe("AlertSockets", () => {
  let server: HttpServer | undefined;
  let sockets: ClientSockets;
  let url = "";
  const clients: SocketClient[] = [];
  const ended: SocketClient[] = [];
  const cuts: string[] = [];
  let checks = 0;
  const errors: unknown[] = [];

  afterEach(async () => {
    vi.useRealTimers();
    await server?.close();
    server = undefined;
    for (const list of [clients, ended, cuts, errors]) list.length = 0;
  });

  it("answers each message in the order they came, and keeps nothing of a client that left", async () => {
    await start({ pingPeriodMs: 123_456 });
    const timersBefore = activeTimers();
    const client = await AlertClient.open(url);

    expect([await client.ask('"a"'), await client.ask('"b"')]).toEqual(["a", "b"]);
    await client.close();
    expect(ended).toEqual(clients);
    expect(sockets.counts.open).toBe(0);
    expect(activeTimers()).toBeLessThanOrEqual(timersBefore);
  });

  it("pings on its own timer, also a client that talks", async () => {
    await start({ pingPeriodMs: 20 });
    const client = await AlertClient.open(url);

    for (let pings = 0; pings < 3; pings++) {
      await once(client.socket, "ping");
      await client.ask('"still here"');
    }
    await client.close();
  });

  it("closes a client that does not read with 1013, counts it, and spares the one beside it", async () => {
    await start({ backlogBytesMax: 100_000, backlogTotalBytesMax: Infinity });
    const slow = await AlertClient.open(url);
    const reader = await AlertClient.open(url);
    slow.socket.pause();

    let sent = 0;
    // The kernel takes a few megabytes before anything waits here.
    while (cuts.length === 0) {
      for (const client of clients) client.send([MEGABYTE]);
      sent++;
      await reader.until(() => reader.received.length === sent);
    }

    expect(cuts).toEqual(["slow"]);
    expect(ended).toEqual([clients[0]]);
    expect(sockets.counts.open).toBe(1);
    slow.socket.resume();
    expect(await slow.closed).toBe(1013);
    // What it was sent before is whole.
    expect(slow.received).toHaveLength(sent);
    expect(await reader.ask('"fine"')).toBe("fine");
    await reader.close();
  });

  it("bounds what all clients together leave unread, and gives it back when they go", async () => {
    await start({ backlogTotalBytesMax: 1_000_000, backlogBytesMax: 100_000_000 });
    const first = await AlertClient.open(url);
    first.socket.pause();

    let unreadBytes = 0;
    while (cuts.length === 0) {
      unreadBytes = sockets.counts.unreadBytes;
      clients[0]!.send([MEGABYTE]);
    }

    expect(unreadBytes).toBeLessThanOrEqual(1_000_000);
    expect(cuts).toEqual(["slow"]);
    expect(sockets.counts).toEqual({ open: 0, unreadBytes: 0 });
    first.socket.resume();
    expect(await first.closed).toBe(1013);
  });

  it("resets who leaves much unread while those ended before have left more than that, until it is gone", async () => {
    await start({ backlogTotalBytesMax: 1_000_000, backlogBytesMax: 100_000_000 });
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const codeOfSlow = async (): Promise<number> => {
      const client = await AlertClient.open(url);
      client.socket.pause();
      const cutsBefore = cuts.length;
      while (cuts.length === cutsBefore) clients.at(-1)!.send([MEGABYTE]);
      client.socket.resume();
      return client.closed;
    };

    expect([await codeOfSlow(), await codeOfSlow()]).toEqual([1013, 1006]);
    const reader = await AlertClient.open(url);
    clients.at(-1)!.refuse("told");
    expect(await reader.closed).toBe(1008);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await codeOfSlow()).toBe(1013);
  });

  it("bounds the answers to pings that a client leaves unread", async () => {
    await start({ pingPeriodMs: 20, backlogBytesMax: 1_200_000 });
    const client = await AlertClient.open(url);
    client.socket.pause();
    const unreadBytes = (): number => sockets.counts.unreadBytes;
    const fill = (): void => {
      while (unreadBytes() < 1_199_000) clients[0]!.send([JSON.stringify("x".repeat(100))]);
    };
    while (unreadBytes() === 0) clients[0]!.send([MEGABYTE]);
    fill();
    expect(cuts).toEqual([]);

    // The system may take more of what is unread at any time, and a client may only ping so often between two checks.
    const isUncut = (): boolean => cuts.length === 0;
    for (let round = 0; round < 50 && isUncut(); round++) {
      fill();
      for (let i = 0; i < 20; i++) client.socket.ping("x".repeat(125));
      const checksBefore = checks;
      while (isUncut() && checks === checksBefore) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(cuts).toEqual(["slow"]);
    client.socket.resume();
    expect(await client.closed).toBe(1013);
  });

  it("no longer counts what has been read at last", async () => {
    await start({ backlogBytesMax: 100_000_000 });
    const client = await AlertClient.open(url);
    client.socket.pause();
    let sent = 0;
    for (; sockets.counts.unreadBytes === 0; sent++) clients[0]!.send([MEGABYTE]);

    client.socket.resume();
    await client.until(() => client.received.length === sent);

    expect(sockets.counts.unreadBytes).toBe(0);
    await client.close();
  });

  it("closes a client that talks too much with 1008; a ping forgives", async () => {
    await start({ messagesPerPingMax: 5, pingPeriodMs: 30 });
    const patient = await AlertClient.open(url);
    for (let pings = 0; pings < 3; pings++) {
      await once(patient.socket, "ping");
      for (let i = 0; i < 4; i++) await patient.ask('"x"');
    }
    await patient.close();

    await server!.close();
    await start({ messagesPerPingMax: 5 });
    const flooding = await AlertClient.open(url);
    for (let i = 0; i < 6; i++) flooding.socket.send('"x"');

    expect(await flooding.closed).toBe(1008);
    expect(flooding.received).toHaveLength(5);
    expect([sockets.counts.open, cuts]).toEqual([0, ["flooding"]]);
  });

  it("closes a client that pings without end with 1008; a ping of its own forgives", async () => {
    await start({ pingPeriodMs: 30 });
    const patient = await AlertClient.open(url);
    for (let pings = 0; pings < 3; pings++) {
      await once(patient.socket, "ping");
      for (let i = 0; i < 45; i++) patient.socket.ping();
      expect(await patient.ask('"still here"')).toBe("still here");
    }
    await patient.close();

    await server!.close();
    await start();
    const flooding = await AlertClient.open(url);
    for (let i = 0; i < 300; i++) flooding.socket.ping();

    expect(await flooding.closed).toBe(1008);
    expect([sockets.counts.open, cuts]).toEqual([0, ["flooding"]]);
  });

  it("sends what it was told to after the replies to what came before, in a crowd as well", async () => {
    await start();
    const client = await AlertClient.open(url);
    for (const text of ["1", "2", "3", "4"]) client.socket.send(text);
    await client.until(() => client.received.length === 4);

    for (const text of ['"a"', '"push"', '"b"']) client.socket.send(text);
    await client.until(() => client.received.length === 8);

    expect(client.received.slice(4)).toEqual(["a", "pushed", "push", "b"]);
    await client.close();
  });

  it("cuts a message beyond its bound before it is read", async () => {
    await start({ messageBytesMax: 1_000 });
    const client = await AlertClient.open(url);
    expect(await client.ask(JSON.stringify("x".repeat(900)))).toHaveLength(900);

    client.socket.send(JSON.stringify("x".repeat(1_000)));

    expect([1006, 1009]).toContain(await client.closed);
    expect(client.received).toHaveLength(1);
  });

  it("reads a message of as many characters as a config may have, whatever they are", async () => {
    await start();
    const client = await AlertClient.open(url);

    expect(await client.ask(JSON.stringify("€".repeat(4_094)))).toHaveLength(4_094);
    await client.close();
  });

  it("has a bounded number of sockets; the next is told 503 until one leaves", async () => {
    await start({ socketsMax: 2 });
    const [first, second] = [await AlertClient.open(url), await AlertClient.open(url)];

    const { status, body } = await refusedUpgrade(url);
    expect(status).toBe(503);
    assertMatchesSchema("error", JSON.parse(body));
    expect([sockets.counts.open, cuts]).toEqual([2, ["no_room"]]);

    await first.close();
    const third = await AlertClient.open(url);
    expect(await third.ask('"in"')).toBe("in");
    await Promise.all([second.close(), third.close()]);
  });

  it("closes with 1011 where the subscriber fails, and lives", async () => {
    await start();
    const client = await AlertClient.open(url);
    client.socket.send('"throw"');

    expect(await client.closed).toBe(1011);
    expect(errors).toHaveLength(1);
    clients[0]!.send(['"too late"']);
    clients[0]!.fail();
    const next = await AlertClient.open(url);
    expect(await next.ask('"well"')).toBe("well");
    await next.close();
  });

  it("closes with 1011 where what was to be sent later cannot be had", async () => {
    await start();
    const client = await AlertClient.open(url);

    clients[0]!.sendLater(Promise.reject(new Error("on purpose")));

    expect(await client.closed).toBe(1011);
    expect(errors).toEqual([new Error("on purpose")]);
  });

  it("lets nobody in any more from its goodbye on, which is no lack of room", async () => {
    await start();

    expect(sockets.closeAll()).toBe(false);

    const { status, body } = await refusedUpgrade(url);
    expect([status, JSON.parse(body)]).toEqual([
      503,
      { error: "unavailable", detail: "the service is stopping" },
    ]);
    expect(cuts).toEqual([]);
  });

  it("says goodbye with 1001 when the service stops", async () => {
    await start();
    const [first, second] = [await AlertClient.open(url), await AlertClient.open(url)];

    await server!.close();
    server = undefined;

    expect(await Promise.all([first.closed, second.closed])).toEqual([1001, 1001]);
    expect(sockets.counts.open).toBe(0);
  });

  it("waits for what its clients are still to be told before it says goodbye", async () => {
    await start();
    const client = await AlertClient.open(url);

    await server!.close(() => {
      clients[0]!.send(['"last"']);
      return Promise.resolve();
    });
    server = undefined;

    expect([await client.closed, client.received]).toEqual([1001, ["last"]]);
  });

  async function start(limits: Partial<SocketLimits> = {}): Promise<void> {
    sockets = alertSockets({
      connect: (alertClient) => {
        // What is behind every socket, of which alerts use a part.
        const client = alertClient as SocketClient;
        clients.push(client);
        return {
          reply: (text) => {
            if (text === '"throw"') throw new Error("on purpose");
            if (text === '"push"') client.send(['"pushed"']);
            return text;
          },
          check: () => checks++,
          closed: () => ended.push(client),
        };
      },
      limits: { ...ALERT_SOCKET_LIMITS, ...limits },
      onCut: (reason) => cuts.push(reason),
      onInternalError: (cause) => errors.push(cause),
    });
    server = new HttpServer({
      endpoints: [],
      sockets: [sockets],
      keys: new KeyRing([], 100),
      bodyBytesMax: 1000,
      polling: null,
      tls: undefined,
      onInternalError: (_id, _path, cause) => errors.push(cause),
    });
    url = `http://127.0.0.1:${await server.listen("127.0.0.1", 0)}`;
  }
});

function activeTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}

async function refusedUpgrade(url: string): Promise<{ readonly status: number; readonly body: string }> {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}${ALERTS_PATH}`);
  socket.on("error", () => undefined);
  const [, response] = (await once(socket, "unexpected-response")) as [
    unknown,
    AsyncIterable<Buffer> & { readonly statusCode: number },
  ];
  let body = "";
  for await (const chunk of response) body += chunk.toString("utf8");
  return { status: response.statusCode, body };
}
