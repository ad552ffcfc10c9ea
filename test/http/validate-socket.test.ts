import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { json } from "node:stream/consumers";
import { setImmediate as turn } from "node:timers/promises";
import { WebSocket } from "ws";
import { afterEach, describe, expect, it, vi } from "vitest";
import { HOUR_MS } from "../../src/domain/bar.ts";
import type { IssuedKey } from "../../src/domain/issued-key.ts";
import { err, ok } from "../../src/domain/result.ts";
import type { SocketLimits } from "../../src/http/client-socket.ts";
import type { ClientSockets } from "../../src/http/client-sockets.ts";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { HttpServer } from "../../src/http/http-server.ts";
import { KeyRing, storedKeyOf } from "../../src/http/key-ring.ts";
import { newKeyText } from "../../src/http/key-text.ts";
import { VALIDATE_SOCKET_LIMITS, validateSockets } from "../../src/http/validate-socket.ts";
import { assertMatchesSchema } from "../support/closed-schema.ts";
import { refusedUpgrade, ValidateClient } from "../support/validate-client.ts";

// Mutants killed by hand: the upgrade without a key let in; messages not counted; the id not given back with a refusal;
// late answers without their id; the bound on waiting requests also for exits; a throw that closes the socket; a long
// message answered, refused one character early, cut or not counted; sockets of a key not counted, counted for all keys,
// or kept when they close.

const KEY = "a-key-for-tests";
const OTHER_KEY = "another-key-for-tests";
/** Bytes that the next answer is written into, as the real writer's are. */
const MEMORY = new Uint8Array(64);
const UNWRITABLE = ok({
  json: (): never => {
    throw new Error("inside");
  },
});

describe("validateSockets", () => {
  let server: HttpServer | undefined;
  let sockets: ClientSockets;
  let ring: KeyRing;
  let url = "";
  let releaseLate: () => void = () => undefined;
  let releaseLater: () => void = () => undefined;
  /** Called when the request "ask" is answered. */
  let onAsk: () => void = () => undefined;
  /** How far the keys' clock is ahead. */
  let aheadMs = 0;
  const failures: unknown[] = [];
  const cuts: string[] = [];

  afterEach(async () => {
    vi.useRealTimers();
    await server?.close();
    server = undefined;
    failures.length = cuts.length = aheadMs = 0;
  });

  it("lets a key have half of the sockets: its next is told 503, another key's is let in", async () => {
    await start({ socketsMax: 5 });
    const mine = [await ValidateClient.open(url, KEY), await ValidateClient.open(url, KEY)];
    mine.push(await ValidateClient.open(url, KEY));

    const { status, body } = await refusedUpgrade(url, KEY);
    expect([status, body]).toMatchObject([503, { error: "unavailable" }]);
    expect(JSON.stringify(body)).toContain("this key has 3 sockets, as many as one key may have");
    assertMatchesSchema("error", body);
    expect(cuts).toEqual(["no_room"]);
    const other = await ValidateClient.open(url, OTHER_KEY);
    expect(await other.ask({ id: 1, request: "in" })).toMatchObject({ status: 200 });

    mine[0]!.socket.close();
    await mine[0]!.closed;
    const next = await ValidateClient.open(url, KEY);
    expect(await next.ask({ id: 1, request: "in" })).toMatchObject({ status: 200 });
    expect(await refusedUpgrade(url, KEY)).toMatchObject({ status: 503 });
  });

  it("tells a key what it has left where all sockets are taken, and anyone else that it has no key", async () => {
    await start({ socketsMax: 2 });
    await ValidateClient.open(url, KEY);
    await ValidateClient.open(url, OTHER_KEY);

    const { status, body, headers } = await refusedUpgrade(url, KEY);

    expect([status, body]).toMatchObject([503, { error: "unavailable", detail: "no more sockets" }]);
    expect(headers).toHaveProperty("ratelimit-remaining");
    expect(await refusedUpgrade(url, "another")).toMatchObject({ status: 401 });
    expect(cuts).toEqual(["no_room"]);
  });

  it("answers every message with its id, status and body, in order", async () => {
    await start();
    const client = await ValidateClient.open(url, KEY);

    const ids = Array.from({ length: 500 }, (_, i) => (i % 2 === 0 ? i : `order\n${i} "é"`));
    client.send(...ids.map((id) => ({ id, request: String(id) })));
    await client.until(500);

    expect(client.replies).toEqual(ids.map((id) => ({ id, status: 200, body: { echo: String(id) } })));
  });

  it("lets in only who has a key, and counts the upgrade", async () => {
    await start({}, 1);

    expect(await refusedUpgrade(url, undefined)).toMatchObject({
      status: 401,
      headers: { "www-authenticate": "Bearer" },
      body: { error: "missing or invalid Authorization header" },
    });
    expect(await refusedUpgrade(url, "another")).toMatchObject({
      status: 401,
      body: { error: "invalid API key" },
    });
    await ValidateClient.open(url, KEY);
    const third = await refusedUpgrade(url, KEY);
    expect(third).toMatchObject({ status: 429, body: { error: "rate_limited" } });
    expect(third.headers).toMatchObject({ "ratelimit-limit": "1", "ratelimit-remaining": "0" });
    assertMatchesSchema("error", third.body);
  });

  it("tells what is left of the limit as the socket opens", async () => {
    await start({}, 5);

    const socket = new WebSocket(`${url.replace("http", "ws")}/v1/validate/ws`, {
      headers: { authorization: `Bearer ${KEY}` },
    });
    const [upgraded] = await Promise.all([once(socket, "upgrade"), once(socket, "open")]);
    const [answer] = upgraded as [IncomingMessage];

    expect(answer.statusCode).toBe(101);
    expect(answer.headers).toMatchObject({ "ratelimit-limit": "5", "ratelimit-remaining": "4" });
    socket.terminate();
  });

  it("takes two keys for none, whichever of them a proxy may have read", async () => {
    await start();
    const headers = Object.entries({
      Host: new URL(url).host,
      Authorization: `Bearer ${KEY}`,
      authorization: `Bearer ${KEY}`,
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }).flat();

    const request = get(`${url}/v1/validate/ws`, { headers });
    request.on("upgrade", (response: IncomingMessage) => request.emit("response", response));
    const [response] = (await once(request, "response")) as [IncomingMessage];

    expect(response.statusCode).toBe(401);
    request.destroy();
  });

  it("says what an upgrade lacks that is none", async () => {
    await start();
    const detailFor = async (headers: Readonly<Record<string, string>>): Promise<unknown> => {
      const [response] = (await once(get(`${url}/v1/validate/ws`, { headers }), "response")) as [
        IncomingMessage,
      ];
      return ((await json(response)) as { readonly detail: string }).detail;
    };

    expect([
      await detailFor({}),
      await detailFor({ connection: "Upgrade", upgrade: "websocket" }),
      await detailFor({ connection: "Upgrade", upgrade: "WebSocket", "sec-websocket-key": "short" }),
    ]).toEqual([
      expect.stringContaining("Upgrade"),
      expect.stringContaining("Sec-WebSocket-Key"),
      expect.stringContaining("Sec-WebSocket-Key"),
    ]);
  });

  it("gives each of a crowd its own answer, however long the answers are", async () => {
    await start();
    const client = await ValidateClient.open(url, KEY);
    await crowd(client);

    const requests = [...LONG_TEXTS.keys()];
    client.send(...requests.map((request, id) => ({ id, request })));
    await client.until(4 + requests.length);

    const bodies = client.replies.slice(4).map(({ id, body }) => [id, JSON.stringify(body).slice(1, 7)]);
    expect(bodies).toEqual(requests.map((request, id) => [id, request]));
  });

  it("says what is wrong with a message, with its id where it has one", async () => {
    await start();
    const client = await ValidateClient.open(url, KEY);

    const replies = [
      await client.ask("{"),
      await client.ask("[]"),
      await client.ask("null"),
      await client.ask({ request: {} }),
      await client.ask({ id: "", request: {} }),
      await client.ask({ id: "x".repeat(65), request: {} }),
      await client.ask({ id: 0.5, request: {} }),
      await client.ask({ id: 2 ** 53, request: {} }),
      await client.ask({ id: "no-request" }),
      await client.ask({ id: "refused", request: "refuse" }),
    ];

    for (const reply of replies) assertMatchesSchema("validate-reply", reply);
    expect(replies.map(({ id, status }) => [id, status])).toEqual([
      ...Array.from({ length: 8 }, () => [null, 400]),
      ["no-request", 400],
      ["refused", 503],
    ]);
    expect(replies[0]!.body).toEqual({ error: "validation_error", detail: "message must be valid JSON" });
    for (const { body } of replies.slice(1, 3)) {
      expect(body).toEqual({
        error: "validation_error",
        detail: "message must be an object with id and request",
      });
    }
    expect(replies[7]!.body).toEqual({
      error: "validation_error",
      detail: "id must be a text of 1 to 64 characters or an integer of at most 2^53 - 1",
    });
    expect(replies[8]!.body).toMatchObject({ error: "validation_error" });
  });

  it("reads bytes as it reads text, and says of those that are not UTF-8 that they are not", async () => {
    await start();
    const client = await ValidateClient.open(url, KEY);

    const send = (encoding: "utf8" | "latin1"): void =>
      client.socket.send(Buffer.from('{"id":"Zé","request":"é"}', encoding), { binary: true });

    send("utf8");
    send("latin1");
    await client.until(2);

    expect(client.replies).toEqual([
      { id: "Zé", status: 200, body: { echo: "é" } },
      { id: null, status: 400, body: { error: "validation_error", detail: "message must be valid UTF-8" } },
    ]);
    expect(client.isText).toBe(true);
  });

  it("passes over a byte order mark, in text and in bytes", async () => {
    await start();
    const client = await ValidateClient.open(url, KEY);
    const text = '\ufeff{"id":1,"request":"x"}';

    client.socket.send(text);
    client.socket.send(Buffer.from(text));
    await client.until(2);

    expect(client.replies).toEqual([1, 1].map((id) => ({ id, status: 200, body: { echo: "x" } })));
  });

  it("does not read a text that is not UTF-8: the library ends the connection", async () => {
    await start();
    const client = await ValidateClient.open(url, KEY);

    const send = (encoding: "utf8" | "latin1"): void =>
      client.socket.send(Buffer.from('{"id":"Zé","request":{}}', encoding), { binary: false });

    send("utf8");
    await client.until(1);
    send("latin1");

    expect([1006, 1007]).toContain((await client.closed).code);
    expect(client.replies.map(({ id }) => id)).toEqual(["Zé"]);
  });

  it("refuses each message over the limit with the wait, and keeps the socket", async () => {
    await start({}, 4);
    const client = await ValidateClient.open(url, KEY);

    client.send(...[1, 2, 3, 4, 5].map((id) => ({ id, request: {} })));
    await client.until(5);

    expect(client.replies.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
    const { id, body } = client.replies[3]!;
    assertMatchesSchema("rate-limit-error", body);
    expect(id).toBe(4);
    expect((body as { retry_after_secs: number }).retry_after_secs).toBeGreaterThanOrEqual(1);
    expect(client.socket.readyState).toBe(client.socket.OPEN);
  });

  it("sends what had to wait when it is known, with its own id and bytes", async () => {
    await start();
    const client = await ValidateClient.open(url, KEY);

    client.send(
      { id: "cold", request: "late" },
      { id: "colder", request: "late" },
      { id: "warm", request: 1 },
    );
    await client.until(1);
    releaseLate();
    await client.until(3);

    expect(client.replies).toEqual([
      { id: "warm", status: 200, body: { echo: 1 } },
      { id: "cold", status: 200, body: { echo: "late" } },
      { id: "colder", status: 200, body: { echo: "late" } },
    ]);
  });

  it("lets a bounded number wait, exits without bound", async () => {
    await start();
    const client = await ValidateClient.open(url, KEY);
    const exit = { action: "close", wait: true };

    client.send(...Array.from({ length: 1_001 }, (_, id) => ({ id, request: "late" })), {
      id: "exit",
      request: exit,
    });
    await client.until(1);
    expect(client.replies[0]).toMatchObject({ id: 1_000, status: 503, body: { error: "unavailable" } });
    releaseLate();
    await client.until(1_002);

    expect(client.replies.at(-1)).toEqual({ id: "exit", status: 200, body: { echo: exit } });
    expect(await client.ask({ id: "again", request: "late" })).toMatchObject({ id: "again", status: 200 });
  });

  it("turns a throw and a rejection into a 500 that says nothing of the inside, and lives", async () => {
    await start();
    const client = await ValidateClient.open(url, KEY);

    const thrown = await client.ask({ id: 1, request: "throw" });
    const unwritable = await client.ask({ id: 2, request: "unwritable" });
    const rejected = await client.ask({ id: 3, request: "reject" });
    const unwritableLate = await client.ask({ id: 4, request: "unwritable late" });

    const failed = [thrown, unwritable, rejected, unwritableLate];
    expect(failed.map(({ id, status }) => [id, status])).toEqual([
      [1, 500],
      [2, 500],
      [3, 500],
      [4, 500],
    ]);
    expect(JSON.stringify(failed)).not.toContain("inside");
    expect(failures).toHaveLength(4);
    expect(await client.ask({ id: 5, request: {} })).toMatchObject({ id: 5, status: 200 });
  });

  it("closes with 1008 when the key is revoked, and at the next message when it has ended", async () => {
    await start();
    const revoked = issuedKey("desk");
    const ended = issuedKey("bot", Date.now() + HOUR_MS);
    ring.replaceIssued([revoked.key, ended.key]);
    const [first, second, other] = await Promise.all(
      [revoked.text, ended.text, KEY].map((key) => ValidateClient.open(url, key)),
    );
    ring.takeUse();
    expect(await first!.ask({ id: 1, request: {} })).toMatchObject({ status: 200 });
    expect([...ring.takeUse().keys()]).toEqual(["desk"]);

    ring.replaceIssued([{ ...revoked.key, revokedAtMs: 1 }, ended.key]);
    expect(await first!.closed).toEqual({ code: 1008, reason: "the key is no longer valid" });

    expect(await second!.ask({ id: 1, request: {} })).toMatchObject({ status: 200 });
    aheadMs = HOUR_MS + 1;
    second!.send({ id: 2, request: {} });
    expect((await second!.closed).code).toBe(1008);
    // Else the next ping ends it, too, and what it asks until then is answered.
    expect(second!.replies).toHaveLength(1);
    expect(await other!.ask({ id: 1, request: {} })).toMatchObject({ status: 200 });
  });

  it("holds a socket to the limit that its key has now", async () => {
    await start();
    const { text, key } = issuedKey("desk");
    ring.replaceIssued([key]);
    const client = await ValidateClient.open(url, text);
    expect(await client.ask({ id: 1, request: {} })).toMatchObject({ status: 200 });

    ring.replaceIssued([{ ...key, rateLimitPerMinute: 1 }]);

    expect(await client.ask({ id: 2, request: {} })).toMatchObject({ status: 200 });
    expect(await client.ask({ id: 3, request: {} })).toMatchObject({ status: 429 });
  });

  it("answers with more bytes than any answer had before", async () => {
    await start();
    const client = await ValidateClient.open(url, KEY);

    const { body } = await client.ask({ id: 1, request: "huge" });

    expect(body).toHaveLength(200_000);
    expect(await client.ask({ id: "😀".repeat(64), request: 1 })).toEqual({
      id: "😀".repeat(64),
      status: 200,
      body: { echo: 1 },
    });
  });

  it("closes with 1008 who asks nothing, too, when the key has ended", async () => {
    await start({ pingPeriodMs: 20 });
    const { text, key } = issuedKey("bot", Date.now() + HOUR_MS);
    ring.replaceIssued([key]);
    const client = await ValidateClient.open(url, text);
    expect(await client.ask({ id: 1, request: {} })).toMatchObject({ status: 200 });

    aheadMs = HOUR_MS + 1;

    expect(await client.closed).toEqual({ code: 1008, reason: "the key is no longer valid" });
  });

  it("sends a crowd what it answered before the message at which the key was revoked", async () => {
    await start();
    const { text, key } = issuedKey("desk");
    ring.replaceIssued([key]);
    const client = await ValidateClient.open(url, text);
    await crowd(client);
    onAsk = () => ring.replaceIssued([]);

    client.send(...["a", "b", "ask", "c"].map((request) => ({ id: request, request })));

    expect((await client.closed).code).toBe(1008);
    expect(client.replies.slice(4).map(({ id }) => id)).toEqual(["a", "b"]);
  });

  it("answers what was read when the server is closed before it is answered", async () => {
    await start();
    const client = await ValidateClient.open(url, KEY);
    await crowd(client);
    const other = connect(Number(new URL(url).port), "127.0.0.1");
    await once(other, "connect");
    // The head of another request is read after the messages, in the same turn.
    const presentedIn = vi.spyOn(ring, "presentedIn").mockImplementation(() => {
      void server!.close();
      return err({ code: "missing_key" });
    });

    client.send(...["a", "b"].map((request) => ({ id: request, request })));
    other.write("POST /v1/validate HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");

    expect((await client.closed).code).toBe(1001);
    expect(presentedIn).toHaveBeenCalledOnce();
    expect(client.replies.slice(4).map(({ id }) => id)).toEqual(["a", "b"]);
    other.destroy();
  });

  it("does not answer what came right before the goodbye", async () => {
    await start();
    const client = await ValidateClient.open(url, KEY);
    await crowd(client);
    onAsk = vi.fn();

    client.send({ id: 1, request: "ask" });
    client.socket.close();
    await client.closed;

    expect(onAsk).not.toHaveBeenCalled();
  });

  it("refuses what is larger than a message may be with 413, and keeps the socket", async () => {
    await start({}, 4);
    const client = await ValidateClient.open(url, KEY);
    const padding = (length: number): string => "é".repeat(length - '{"id":"","request":""}'.length);

    const largest = await client.ask({ id: "", request: padding(16_384) });
    const larger = await client.ask({ id: "a", request: padding(16_384) });
    const unread = await client.ask("x".repeat(65_536));
    const counted = await client.ask({ id: "b", request: padding(16_384) });

    const body = { error: "payload_too_large", detail: "at most 16384 characters" };
    expect(largest).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("id must be") as string },
    });
    expect(larger).toEqual({ id: "a", status: 413, body });
    expect(unread).toEqual({ id: null, status: 413, body });
    expect(counted).toMatchObject({ id: "b", status: 429 });
    for (const reply of [larger, unread]) assertMatchesSchema("validate-reply", reply);
  });

  it("ends the connection of a message of more than four bytes a character, unread", async () => {
    await start();
    const client = await ValidateClient.open(url, KEY);

    client.send("x".repeat(65_537));

    expect([1006, 1009]).toContain((await client.closed).code);
    expect(client.replies).toEqual([]);
  });

  it("cuts off who does not read, and what is larger than any message", async () => {
    await start({ backlogBytesMax: 1024 * 1024, messageBytesMax: 1_000 });
    const slow = await ValidateClient.open(url, KEY);
    const loud = await ValidateClient.open(url, KEY);

    slow.socket.pause();
    for (let id = 0; id < 20_000; id += 1) slow.send({ id, request: "large" });
    loud.send({ id: 1, request: "x".repeat(2_000) });

    expect([1006, 1009]).toContain((await loud.closed).code);
    while (cuts.length === 0) await turn();
    slow.socket.resume();
    expect((await slow.closed).code).toBe(1013);
    expect(sockets.counts).toEqual({ open: 0, unreadBytes: 0 });
    expect(cuts).toEqual(["slow"]);
  }, 20_000);

  it("finishes what waits before it says goodbye", async () => {
    await start();
    const client = await ValidateClient.open(url, KEY);
    client.send({ id: "cold", request: "late" }, { id: "warm", request: {} });
    await client.until(1);

    const closing = server!.close();
    for (let i = 0; i < 3; i++) await turn();
    releaseLate();

    expect((await client.closed).code).toBe(1001);
    expect(client.replies.at(-1)).toMatchObject({ id: "cold", status: 200 });
    await closing;
    server = undefined;
  }, 5_000);

  it("finishes all that waits, not only what is known first", async () => {
    await start();
    const client = await ValidateClient.open(url, KEY);
    client.send(
      { id: "first", request: "late" },
      { id: "last", request: "later" },
      { id: "warm", request: {} },
    );
    await client.until(1);

    const closing = server!.close();
    for (let i = 0; i < 3; i++) await turn();
    releaseLate();
    await client.until(2);
    releaseLater();

    expect((await client.closed).code).toBe(1001);
    expect(client.replies.map(({ id }) => id)).toEqual(["warm", "first", "last"]);
    await closing;
    server = undefined;
  }, 5_000);

  it("says goodbye when what was asked before the end is answered, whatever is asked meanwhile", async () => {
    await start();
    const client = await ValidateClient.open(url, KEY);
    client.send({ id: "before", request: "late" }, { id: "warm", request: {} });
    await client.until(1);

    const closing = server!.close();
    for (let i = 0; i < 3; i++) await turn();
    client.send({ id: "meanwhile", request: "later" }, { id: "answered", request: {} });
    await client.until(2);
    releaseLate();

    expect((await client.closed).code).toBe(1001);
    expect(client.replies.map(({ id }) => id)).toEqual(["warm", "answered", "before"]);
    await closing;
    server = undefined;
    releaseLater();
  }, 5_000);

  it("says goodbye in time where more was asked than can be answered until then", async () => {
    await start();
    const client = await ValidateClient.open(url, KEY);
    // Of which a turn of the loop answers one.
    onAsk = () => spend(6);
    client.send(...Array.from({ length: 300 }, (_, id) => ({ id, request: "ask" })));
    await client.until(1);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });

    const closing = server!.close();
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await client.closed).code).toBe(1001);
    await vi.advanceTimersByTimeAsync(100);
    await closing;
    server = undefined;

    expect(client.replies.length).toBeLessThan(300);
    expect(client.replies.map(({ id }) => id)).toEqual(client.replies.map((_, i) => i));
  }, 20_000);

  async function start(limits: Partial<SocketLimits> = {}, rateLimitPerMinute = 1_000_000): Promise<void> {
    const late = new Promise<void>((resolve) => (releaseLate = resolve));
    const later = new Promise<void>((resolve) => (releaseLater = resolve));
    const endpoint: Endpoint = {
      method: "POST",
      path: "/v1/validate",
      isPublic: false,
      answer: ({ body }) => {
        if (body === "throw") throw new Error("inside");
        if (body === "reject") return Promise.reject(new Error("inside"));
        if (body === "unwritable") return UNWRITABLE;
        if (body === "unwritable late") return Promise.resolve(UNWRITABLE);
        if (body === "ask") onAsk();
        if (body === "refuse") return err({ code: "unavailable", detail: "not now" });
        if (body === "huge") return ok({ json: () => Buffer.from(JSON.stringify("x".repeat(200_000))) });
        const long = LONG_TEXTS.get(body);
        if (long !== undefined) return ok({ json: () => long });
        if (body === "large") return ok({ json: () => JSON.stringify("x".repeat(10_000)) });
        const echo = ok({ json: () => written(body) });
        const isLate = body === "late" || (typeof body === "object" && body !== null && "wait" in body);
        if (body === "later") return later.then(() => echo);
        return isLate ? late.then(() => echo) : echo;
      },
    };
    const stored = [storedKeyOf("test", KEY), storedKeyOf("other", OTHER_KEY)];
    ring = new KeyRing(stored, rateLimitPerMinute, { nowMs: () => Date.now() + aheadMs });
    sockets = validateSockets({
      keys: ring,
      endpoint,
      limits: { ...VALIDATE_SOCKET_LIMITS, ...limits },
      onCut: (reason) => cuts.push(reason),
      onInternalError: (cause) => failures.push(cause),
      onFailure: (_requestId, cause) => failures.push(cause),
    });
    server = new HttpServer({
      endpoints: [endpoint],
      sockets: [sockets],
      keys: ring,
      bodyBytesMax: 1000,
      polling: null,
      tls: undefined,
      onInternalError: (_id, _path, cause) => failures.push(cause),
    });
    url = `http://127.0.0.1:${await server.listen("127.0.0.1", 0)}`;
  }
});

/** Made beforehand, so that many are answered before any is sent; each longer than all that is held of a turn. */
const LONG_TEXTS = new Map<unknown, Buffer>(
  ["a", "b", "c", "d", "e", "f"].map((letter) => [
    `long ${letter}`,
    Buffer.from(`"${`long ${letter}`.padEnd(100_000)}"`),
  ]),
);

/** Four messages in one turn: those of the next are collected before they are answered. */
async function crowd(client: ValidateClient): Promise<void> {
  client.send(...[1, 2, 3, 4].map((id) => ({ id, request: {} })));
  await client.until(4);
}

function spend(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

function written(body: unknown): Uint8Array {
  const text = Buffer.from(JSON.stringify({ echo: body }));
  MEMORY.fill(0);
  MEMORY.set(text);
  return MEMORY.subarray(0, text.length);
}

function issuedKey(
  id: string,
  expiresAtMs: number | null = null,
): { readonly text: string; readonly key: IssuedKey } {
  const text = newKeyText(id);
  const { salt, hashHex } = storedKeyOf(id, text);
  const times = { createdAtMs: 0, expiresAtMs, revokedAtMs: null, lastUsedAtMs: null };
  return { text, key: { id, salt, hashHex, rateLimitPerMinute: null, ...times } };
}
