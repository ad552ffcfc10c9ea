import { once } from "node:events";
import { connect } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { HttpServer } from "../../src/http/http-server.ts";
import {
  HttpBench,
  JSON_HEADERS,
  openedSocket,
  POST_HEAD,
  requestText,
  textOf,
} from "../support/http-bench.ts";

describe("a server that ends", () => {
  const bench = new HttpBench();
  afterEach(async () => {
    vi.useRealTimers();
    await bench.close();
  });

  // The first of the file: what was freed ends the process only where nothing has taken its place yet.
  it("may be told to stop listening, and to close, after its connections were dropped", async () => {
    const server = new HttpServer(bench.options([]));
    const port = await server.listen("127.0.0.1", 0);
    const expectRefusal = (): Promise<void> =>
      expect(openedSocket(`http://127.0.0.1:${port}`)).rejects.toThrow("ECONNREFUSED");

    server.closeAtOnce();
    await expectRefusal();
    server.stopListening();
    await expectRefusal();
    await server.close();
    await expectRefusal();
  });

  it("answers a HEAD that comes while it ends as the last of its connection", async () => {
    const url = await bench.start();
    const [first, second] = await Promise.all([1, 2].map(() => openedSocket(url)));
    const answer = textOf(second!);
    first!.write(requestText("/late"));
    await bench.lateAsked;

    const closing = bench.close();
    second!.write(requestText("/health", "HEAD"));
    await once(second!, "data");
    bench.answerLate();

    expect((await answer).match(/^(content-length|connection|keep-alive): .*$/gim)).toEqual([
      "Connection: close",
      "Content-Length: 2",
    ]);
    await closing;
  });

  it("answers what comes on open connections while it ends, and closes them with that", async () => {
    const url = await bench.start();
    const [first, second] = await Promise.all([1, 2].map(() => openedSocket(url)));
    const answers = [first!, second!].map(textOf);
    first!.write(requestText("/late"));
    await bench.lateAsked;

    const closing = bench.close();
    second!.write(requestText("/health"));

    expect(await answers[1]).toMatch(/200 OK.*Connection: close/s);
    bench.answerLate();
    expect(await answers[0]).toMatch(/200 OK.*Connection: close/s);
    await closing;
  });

  it("refuses what comes on open connections while it ends, and closes them with that", async () => {
    const url = await bench.start();
    const [first, second] = await Promise.all([1, 2].map(() => openedSocket(url)));
    const refusal = textOf(second!);
    first!.write(requestText("/late"));
    await bench.lateAsked;

    const closing = bench.close();
    second!.write(requestText("/none"));

    expect(await refusal).toMatch(/404 Not Found.*Connection: close/s);
    bench.answerLate();
    await closing;
  });

  it("answers what was asked while those it had answered read, however late", async () => {
    const url = await bench.start();
    const [first, second] = await Promise.all([1, 2].map(() => openedSocket(url)));
    const request = requestText("/late");
    const answer = textOf(second!);
    first!.write(request);
    await bench.lateAsked;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });

    const closing = bench.close();
    bench.answerLate();
    await once(first!, "data");
    bench.expectLate();
    second!.write(request);
    await bench.lateAsked;
    await vi.advanceTimersByTimeAsync(1_000);
    // The end waits for this answer, and not for the ten seconds that it would at the longest.
    for (let i = 0; i < 3; i++) await turn();
    bench.answerLate();

    expect(await answer).toMatch(/200 OK.*Connection: close/s);
    await vi.advanceTimersByTimeAsync(100);
    await closing;
  });

  it("waits ten seconds in all, whatever is asked meanwhile", async () => {
    const url = await bench.start();
    const [first, second] = await Promise.all([1, 2].map(() => openedSocket(url)));
    const request = requestText("/late");
    first!.write(request);
    await bench.lateAsked;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const ended = once(second!, "close");
    second!.on("error", () => undefined);

    const closing = bench.close();
    await vi.advanceTimersByTimeAsync(9_000);
    bench.answerLate();
    await once(first!, "data");
    bench.expectLate();
    second!.write(request);
    await bench.lateAsked;
    await vi.advanceTimersByTimeAsync(1_100);

    await ended;
    await closing;
  });

  it("does not wait at the end for a body that never comes", async () => {
    const url = await bench.start();
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => undefined);
    const head = `${POST_HEAD}Content-Length: 50\r\n\r\n{`;
    await new Promise<void>((sent) => socket.write(head, () => sent()));
    await fetch(`${url}/health`);
    const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));

    await bench.close();

    await ended;
  }, 5_000);

  it.each([
    ["left with half of its body sent", `${POST_HEAD}Content-Length: 50\r\n\r\n{`],
    [
      "was answered and its connection closed in a later turn",
      requestText("/health", "HEAD").replace("\r\n", "\r\nConnection: TE, close\r\n"),
    ],
  ])("finishes answers in flight though another client %s", async (_name, text) => {
    const url = await bench.start();
    const leaver = await openedSocket(url);
    leaver.write(text);
    expect((await fetch(`${url}/health`)).status).toBe(200);
    leaver.destroy();
    // The server hears of it before it answers this.
    expect((await fetch(`${url}/health`)).status).toBe(200);
    const late = fetch(`${url}/late`, { headers: JSON_HEADERS });
    await bench.lateAsked;

    const closing = bench.close();
    for (let i = 0; i < 3; i++) await turn();
    bench.answerLate();

    expect((await late).status).toBe(200);
    await closing;
  });

  it("finishes answers in flight before it closes, and takes no new connection meanwhile", async () => {
    const url = await bench.start();
    expect((await fetch(`${url}/nowhere`)).status).toBe(404);
    const late = fetch(`${url}/late`, { headers: JSON_HEADERS });
    await bench.lateAsked;

    const closing = bench.close();
    for (let i = 0; i < 3; i++) await turn();
    await expect(openedSocket(url)).rejects.toThrow("ECONNREFUSED");
    bench.answerLate();

    expect((await late).status).toBe(200);
    await closing;
  });
});
