import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ok } from "../../src/domain/result.ts";
import type { ApiRequest, Endpoint } from "../../src/http/endpoint.ts";
import { HttpServer } from "../../src/http/http-server.ts";
import { KeyRing, storedKeyOf } from "../../src/http/key-ring.ts";

const KEY = "a-key-for-tests";
const JSON_HEADERS = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };

describe("HttpServer", () => {
  let server: HttpServer | undefined;
  const internalErrors: string[] = [];

  afterEach(async () => {
    vi.useRealTimers();
    await server?.close();
    server = undefined;
    internalErrors.length = 0;
  });

  it("hands over body, parameter and a request id, and answers JSON with the rate headers", async () => {
    const url = await start();

    const response = await fetch(`${url}/echo/a%20b`, {
      method: "POST",
      headers: JSON_HEADERS,
      body: '{"x":1}',
    });

    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toContain("application/json");
    expect(response.headers.get("ratelimit-limit")).toBe("3");
    expect(response.headers.get("ratelimit-remaining")).toBe("2");
    expect(Number(response.headers.get("ratelimit-reset"))).toBeGreaterThanOrEqual(1);
    expect(await response.json()).toMatchObject({ body: { x: 1 }, parameter: "a b", keyId: "test" });
  });

  it.each([
    ["no key", {}, 401, { error: "missing or invalid Authorization header" }],
    [
      "malformed key",
      { authorization: "Basic x" },
      401,
      { error: "missing or invalid Authorization header" },
    ],
    ["unknown key", { authorization: "Bearer x" }, 401, { error: "invalid API key" }],
    [
      "other media type",
      { ...JSON_HEADERS, "content-type": "text/plain" },
      415,
      { error: "unsupported_media_type", detail: "Content-Type must be application/json" },
    ],
    [
      "a media type that only begins alike",
      { ...JSON_HEADERS, "content-type": "application/json-seq" },
      415,
      { error: "unsupported_media_type", detail: "Content-Type must be application/json" },
    ],
    [
      "a compressed body",
      { ...JSON_HEADERS, "content-encoding": "br" },
      415,
      { error: "unsupported_media_type", detail: "Content-Encoding must be identity or absent" },
    ],
  ])("refuses %s", async (_name, headers, status, body) => {
    const url = await start();

    const response = await fetch(`${url}/echo/x`, { method: "POST", headers, body: "{}" });

    expect(response.status).toBe(status);
    expect(response.headers.get("www-authenticate")).toBe(status === 401 ? "Bearer" : null);
    expect(await response.json()).toMatchObject(body);
  });

  it("reads a body that says it is not compressed", async () => {
    const url = await start();
    const headers = { ...JSON_HEADERS, "content-encoding": "Identity" };

    const response = await fetch(`${url}/echo/x`, { method: "POST", headers, body: "{}" });

    expect(response.status).toBe(200);
  });

  it("reads a media type in any case and with its parameters", async () => {
    const url = await start();
    const headers = { ...JSON_HEADERS, "content-type": "Application/JSON ; charset=utf-8" };

    const response = await fetch(`${url}/echo/x`, { method: "POST", headers, body: "{}" });

    expect(response.status).toBe(200);
  });

  it("refuses a path that is not well encoded", async () => {
    const url = await start();

    const response = await fetch(`${url}/echo/%zz`, { method: "POST", headers: JSON_HEADERS, body: "{}" });

    expect([response.status, await response.json()]).toEqual([
      400,
      { error: "validation_error", detail: "path parameter must be valid percent-encoding" },
    ]);
  });

  it("refuses a body whose length is given twice, which a proxy may have read otherwise", async () => {
    const url = await start();
    const socket = await opened(Number(new URL(url).port));
    const answer = once(socket, "data");
    const head = `POST /echo/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\n`;

    socket.write(`${head}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`);

    const [text] = (await answer) as [Buffer];
    expect(text.toString("utf8")).toMatch(/400 Bad Request.*Content-Length must be given once/s);
    socket.destroy();
  });

  it("names what is not JSON, too large, not there, or asked with the wrong method", async () => {
    const url = await start(20);
    const post = (path: string, body: string) =>
      fetch(`${url}${path}`, { method: "POST", headers: JSON_HEADERS, body });

    const notJson = await post("/echo/x", "{");
    const tooLarge = await post("/echo/x", `"${"x".repeat(5000)}"`);
    const elsewhere = await post("/nowhere", "{}");
    const wrongMethod = await post("/health", "{}");

    expect([notJson.status, tooLarge.status, elsewhere.status, wrongMethod.status]).toEqual([
      400, 413, 404, 405,
    ]);
    expect(await notJson.json()).toEqual({ error: "validation_error", detail: "body is not valid JSON" });
    expect(await tooLarge.json()).toMatchObject({ error: "payload_too_large" });
    expect(await elsewhere.json()).toMatchObject({ error: "not_found" });
    expect(wrongMethod.headers.get("allow")).toBe("GET, HEAD");
    expect(wrongMethod.headers.get("www-authenticate")).toBe(null);
  });

  it("takes a body of as many bytes as it may have, and none of one more", async () => {
    const url = await start();
    const ask = async (bytes: number): Promise<number> => {
      const body = `"${"x".repeat(bytes - 2)}"`;
      return (await fetch(`${url}/echo/x`, { method: "POST", headers: JSON_HEADERS, body })).status;
    };

    expect([await ask(4096), await ask(4097)]).toEqual([200, 413]);
  });

  it("answers the public path without a key", async () => {
    const url = await start();

    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it("refuses the request after the limit with the same wait in header and body", async () => {
    const url = await start();
    const ask = () => fetch(`${url}/echo/x`, { method: "POST", headers: JSON_HEADERS, body: "{}" });
    for (let i = 0; i < 3; i += 1) expect((await ask()).status).toBe(200);

    const refused = await ask();
    const body = (await refused.json()) as { error: string; retry_after_secs: number };

    expect(refused.status).toBe(429);
    expect(body.error).toBe("rate_limited");
    expect(refused.headers.get("retry-after")).toBe(String(body.retry_after_secs));
    expect(body.retry_after_secs).toBeLessThanOrEqual(60);
    expect(refused.headers.get("ratelimit-remaining")).toBe("0");
  });

  it("counts what no endpoint takes against the key that comes with it, and says how the key stands", async () => {
    const url = await start();
    const ask = async (
      method: string,
      path: string,
      headers: Readonly<Record<string, string>> = JSON_HEADERS,
    ): Promise<[status: number, remaining: string | null]> => {
      const response = await fetch(`${url}${path}`, { method, headers });
      return [response.status, response.headers.get("ratelimit-remaining")];
    };

    expect(await ask("GET", "/nowhere", {})).toEqual([404, null]);
    expect(await ask("GET", "/nowhere", { authorization: "Bearer x" })).toEqual([404, null]);
    expect(await ask("GET", "/nowhere")).toEqual([404, "2"]);
    expect(await ask("POST", "/late")).toEqual([405, "1"]);
    expect(await ask("HEAD", "/nowhere")).toEqual([404, "0"]);
    expect(await ask("GET", "/nowhere")).toEqual([429, "0"]);
    expect(await ask("GET", "/late")).toEqual([429, "0"]);
  });

  it("turns a throw and a rejection into a 500 that names the request and nothing of the inside", async () => {
    const url = await start();

    for (const path of ["/throws", "/rejects"]) {
      const response = await fetch(`${url}${path}`, { headers: JSON_HEADERS });
      const text = await response.text();
      expect(response.status).toBe(500);
      expect(text).toContain("internal_error");
      expect(text).not.toContain("inside");
    }
    expect(internalErrors).toEqual(["/throws: inside", "/rejects: inside"]);
  });

  it("survives a client that leaves before the late answer", async () => {
    const url = await start();
    const { port } = new URL(url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(`GET /late HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n\r\n`);
    await lateAsked;
    socket.destroy();
    // The server hears of it before it answers this.
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect(lateReply?.isDone).toBe(true);
    answerLate();

    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect(internalErrors).toEqual([]);
  });

  it("reads a body that arrives in many pieces", async () => {
    const url = await start();
    const { port } = new URL(url);
    const body = JSON.stringify({ text: "é".repeat(500) });
    const head = `POST /echo/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
    const socket = connect(Number(port), "127.0.0.1");
    const answer = new Promise<string>((resolve) => {
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk.toString("utf8");
        if (text.includes("parameter")) resolve(text);
      });
    });
    const bytes = Buffer.from(head + body);
    for (let at = 0; at < bytes.length; at += 97) {
      await new Promise<void>((sent) => socket.write(bytes.subarray(at, at + 97), () => sent()));
      // Else the server, which is of this thread, reads all pieces as one.
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    }

    expect(await answer).toContain("é".repeat(500));
    socket.destroy();
  });

  it("refuses a body that is not UTF-8, in one piece or several, and keeps the connection", async () => {
    const url = await start(20);
    const socket = await opened(Number(new URL(url).port));
    const head = `POST /echo/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const answered = async (...pieces: readonly Buffer[]): Promise<string> => {
      const answer = once(socket, "data") as Promise<[Buffer]>;
      socket.write(head);
      for (const piece of pieces) {
        socket.write(`${piece.length.toString(16)}\r\n`);
        socket.write(piece);
        socket.write("\r\n");
      }
      socket.write("0\r\n\r\n");
      return (await answer)[0].toString("utf8");
    };
    const refusal = '{"error":"validation_error","detail":"body is not valid UTF-8"}';
    const latin1 = Buffer.from('"Z\xe9"', "latin1");
    const utf8 = Buffer.from('"Zé"');

    const whole = await fetch(`${url}/echo/x`, { method: "POST", headers: JSON_HEADERS, body: latin1 });
    const parted = await answered(latin1.subarray(0, 3), latin1.subarray(3));

    expect([whole.status, await whole.text()]).toEqual([400, refusal]);
    expect(parted).toMatch(/^HTTP\/1\.1 400 /);
    expect(parted.split("\r\n\r\n")[1]).toBe(refusal);
    expect(await answered(utf8.subarray(0, 3), utf8.subarray(3))).toContain('"body":"Zé"');
    socket.destroy();
  });

  it("refuses a body in more pieces than a network makes of one", async () => {
    const url = await start();
    const head = `POST /echo/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const answered = async (spaces: number): Promise<string> => {
      const socket = connect(Number(new URL(url).port), "127.0.0.1");
      const answer = once(socket, "data");
      socket.write(`${head}${"1\r\n \r\n".repeat(spaces)}2\r\n{}\r\n0\r\n\r\n`);
      const [text] = (await answer) as [Buffer];
      socket.destroy();
      return text.toString("utf8");
    };

    expect(await answered(1_000)).toContain("200 OK");
    expect(await answered(1_100)).toMatch(
      /400 Bad Request.*Connection: close.*body must be sent in at most 1024 pieces/s,
    );
  });

  it("answers a HEAD as it would a GET, without the body", async () => {
    const url = await start();

    const head = await fetch(`${url}/health`, { method: "HEAD" });
    const elsewhere = await fetch(`${url}/nowhere`, { method: "HEAD" });

    expect([head.status, elsewhere.status]).toEqual([200, 404]);
    expect(await head.text()).toBe("");
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it("answers with the status that the endpoint says, and to a HEAD with its body's length in bytes", async () => {
    const url = await start();

    const answers = await Promise.all(
      (["GET", "HEAD"] as const).map((method) => fetch(`${url}/starting`, { method })),
    );

    expect(await answers[0]!.text()).toBe('{"état":"starting"}');
    expect(answers.map(({ status, headers }) => [status, headers.get("content-length")])).toEqual([
      [503, "20"],
      [503, "20"],
    ]);
  });

  it("answers the next request on the connection of a HEAD, each answer with one length", async () => {
    const url = await start();
    const socket = await opened(Number(new URL(url).port));
    const head = (method: string, path: string): string => `${method} ${path} HTTP/1.1\r\nHost: x\r\n`;
    const answers: string[] = [];

    for (const request of [
      head("HEAD", "/health"),
      head("HEAD", "/nowhere"),
      `${head("HEAD", "/late")}Authorization: Bearer ${KEY}\r\n`,
      head("GET", "/health"),
    ]) {
      const answer = once(socket, "data") as Promise<[Buffer]>;
      socket.write(`${request}\r\n`);
      if (request.includes("/late")) answerLate();
      answers.push((await answer)[0].toString("utf8"));
    }
    socket.destroy();

    expect(answers.map((answer) => /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])).toEqual([
      "200",
      "404",
      "200",
      "200",
    ]);
    expect(answers.map((answer) => answer.match(/^content-length: \d+$/gim))).toEqual([
      ["Content-Length: 2"],
      ["Content-Length: 55"],
      ["Content-Length: 2"],
      ["Content-Length: 2"],
    ]);
    expect(answers.map((answer) => answer.split("\r\n\r\n")[1])).toEqual(["", "", "", "{}"]);
  });

  it("answers a HEAD that comes while it ends as the last of its connection", async () => {
    const url = await start();
    const [first, second] = await Promise.all([1, 2].map(() => opened(Number(new URL(url).port))));
    const answer = allOf(second!);
    first!.write(`GET /late HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n\r\n`);
    await lateAsked;

    const closing = server!.close();
    second!.write("HEAD /health HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(second!, "data");
    answerLate();

    expect((await answer).match(/^(content-length|connection): .*$/gim)).toEqual([
      "Connection: close",
      "Content-Length: 2",
    ]);
    await closing;
    server = undefined;
  });

  it("answers what comes on open connections while it ends, and closes them with that", async () => {
    const url = await start();
    const [first, second] = await Promise.all([1, 2].map(() => opened(Number(new URL(url).port))));
    const request = (path: string): string =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n\r\n`;
    const answers = [first!, second!].map(allOf);
    first!.write(request("/late"));
    await lateAsked;

    const closing = server!.close();
    second!.write(request("/health"));

    expect(await answers[1]).toMatch(/200 OK.*Connection: close/s);
    answerLate();
    expect(await answers[0]).toContain("200 OK");
    await closing;
    server = undefined;
  });

  it("answers what was asked while those it had answered read, however late", async () => {
    const url = await start();
    const [first, second] = await Promise.all([1, 2].map(() => opened(Number(new URL(url).port))));
    const request = `GET /late HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n\r\n`;
    const answer = allOf(second!);
    first!.write(request);
    await lateAsked;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });

    const closing = server!.close();
    answerLate();
    await once(first!, "data");
    expectLate();
    second!.write(request);
    await lateAsked;
    await vi.advanceTimersByTimeAsync(1_000);
    answerLate();

    expect(await answer).toMatch(/200 OK.*Connection: close/s);
    await vi.advanceTimersByTimeAsync(100);
    await closing;
    server = undefined;
  });

  it("does not wait at the end for a body that never comes", async () => {
    const url = await start();
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => undefined);
    const head = `POST /echo/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{`;
    await new Promise<void>((sent) => socket.write(head, () => sent()));
    await fetch(`${url}/health`);
    const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));

    await server!.close();
    server = undefined;

    await ended;
  }, 5_000);

  it("answers many connections at once, each its own, and counts every one", async () => {
    const url = await start(1000);
    const ask = async (text: string): Promise<{ readonly remaining: number; readonly parameter: string }> => {
      const response = await fetch(`${url}/echo/${text}`, {
        method: "POST",
        headers: JSON_HEADERS,
        body: "{}",
      });
      const { parameter } = (await response.json()) as { readonly parameter: string };
      return { remaining: Number(response.headers.get("ratelimit-remaining")), parameter };
    };
    const texts = Array.from({ length: 40 }, (_, i) => `text-${i}`);

    const answers: Awaited<ReturnType<typeof ask>>[] = [];
    for (let round = 0; round < 3; round++) answers.push(...(await Promise.all(texts.map(ask))));

    expect(answers.map(({ parameter }) => parameter)).toEqual([...texts, ...texts, ...texts]);
    expect(answers.map(({ remaining }) => remaining).toSorted((a, b) => b - a)).toEqual(
      answers.map((_, i) => 999 - i),
    );
  });

  it("refuses a port that is taken", async () => {
    const url = await start();
    const second = new HttpServer(options([]));

    await expect(second.listen("127.0.0.1", Number(new URL(url).port))).rejects.toThrow("is taken");
    await second.close();
  });

  it("finishes answers in flight before it closes", async () => {
    const url = await start();
    expect((await fetch(`${url}/nowhere`)).status).toBe(404);
    const late = fetch(`${url}/late`, { headers: JSON_HEADERS });
    await lateAsked;

    const closing = server!.close();
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    answerLate();

    expect((await late).status).toBe(200);
    await closing;
    server = undefined;
  });

  let answerLate: () => void = () => undefined;
  let late: Promise<void> = Promise.resolve();
  let markAsked: () => void = () => undefined;
  let lateAsked: Promise<void> = Promise.resolve();
  let lateReply: ApiRequest["reply"] = null;

  /** From here on /late waits for the next answerLate. */
  function expectLate(): void {
    lateAsked = new Promise((resolve) => (markAsked = resolve));
    late = new Promise((resolve) => (answerLate = resolve));
  }

  async function start(rateLimitPerMinute = 3): Promise<string> {
    expectLate();
    const endpoints: Endpoint[] = [
      { method: "GET", path: "/health", isPublic: true, answer: () => ok({ json: () => "{}" }) },
      {
        method: "GET",
        path: "/starting",
        isPublic: true,
        answer: () => ok({ statusLine: "503 Service Unavailable", json: () => '{"état":"starting"}' }),
      },
      {
        method: "POST",
        path: "/echo/:text",
        isPublic: false,
        answer: ({ body, parameter, requestId, keyId }) =>
          ok({ json: () => JSON.stringify({ body, requestId, parameter, keyId }) }),
      },
      {
        method: "GET",
        path: "/throws",
        isPublic: false,
        answer: () => {
          throw new Error("inside");
        },
      },
      { method: "GET", path: "/rejects", isPublic: false, answer: () => Promise.reject(new Error("inside")) },
      {
        method: "GET",
        path: "/late",
        isPublic: false,
        answer: async ({ reply }) => {
          lateReply = reply;
          markAsked();
          await late;
          return ok({ json: () => "{}" });
        },
      },
    ];
    server = new HttpServer(options(endpoints, rateLimitPerMinute));
    return `http://127.0.0.1:${await server.listen("127.0.0.1", 0)}`;
  }

  function options(endpoints: readonly Endpoint[], rateLimitPerMinute = 3) {
    return {
      endpoints,
      keys: new KeyRing([storedKeyOf("test", KEY)], rateLimitPerMinute),
      bodyBytesMax: 4096,
      busyPollMs: 0,
      tls: undefined,
      onInternalError: (_id: string, path: string, cause: unknown) =>
        internalErrors.push(`${path}: ${cause instanceof Error ? cause.message : "?"}`),
    };
  }
});

async function opened(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** What comes until the connection ends. */
function allOf(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString("utf8")));
  return new Promise((resolve) => socket.once("close", () => resolve(text)));
}
