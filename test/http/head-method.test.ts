import { once } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { HttpBench, openedSocket, requestText, textOf } from "../support/http-bench.ts";

describe("a HEAD", () => {
  const bench = new HttpBench();
  afterEach(() => bench.close());

  it("answers a HEAD as it would a GET, without the body", async () => {
    const url = await bench.start();

    const head = await fetch(`${url}/health`, { method: "HEAD" });
    const elsewhere = await fetch(`${url}/nowhere`, { method: "HEAD" });

    expect([head.status, elsewhere.status]).toEqual([200, 404]);
    expect(await head.text()).toBe("");
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it("answers the next request on the connection of a HEAD, each answer with one length", async () => {
    const url = await bench.start();
    const socket = await openedSocket(url);
    const answers: string[] = [];

    for (const request of [
      requestText("/health", "HEAD"),
      requestText("/nowhere", "HEAD"),
      requestText("/late", "HEAD"),
      requestText("/health"),
    ]) {
      const answer = once(socket, "data") as Promise<[Buffer]>;
      socket.write(request);
      if (request.includes("/late")) bench.answerLate();
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

  it.each([
    ["that asks for it in a list", "Connection: TE, close", "/health", "2"],
    ["that is refused and asks for it in a list", "Connection: TE, close", "/nowhere", "55"],
    ["with two lengths", "Content-Length: 0\r\nContent-Length: 0", "/nowhere", "55"],
    [
      "with two lengths that asks for it too",
      "Connection: close\r\nContent-Length: 0\r\nContent-Length: 0",
      "/nowhere",
      "55",
    ],
  ])(
    "closes the connection of one %s, and says so once, without a body",
    async (_name, header, path, length) => {
      const url = await bench.start();
      const socket = await openedSocket(url);
      const answer = textOf(socket);

      socket.write(requestText(path, "HEAD").replace("\r\n", `\r\n${header}\r\n`));

      expect((await answer).match(/^(connection|keep-alive|content-length): .*$/gim)?.sort()).toEqual([
        "Connection: close",
        `Content-Length: ${length}`,
      ]);
      expect(await answer).toMatch(/\r\n\r\n$/);
    },
  );

  // uWebSockets.js throws on the use of a response that was aborted, here where nobody would catch it.
  it("leaves the connection alone of one whose client is gone before it is closed", async () => {
    const url = await bench.start();
    const socket = await openedSocket(url);
    socket.write(requestText("/late", "HEAD").replace("\r\n", "\r\nConnection: TE, close\r\n"));
    await bench.lateAsked;

    // The server looks at its sockets after the answer was written and before the turn in which it closes.
    await turn();
    socket.destroy();
    bench.answerLate();

    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect(bench.lateReply?.isDone).toBe(true);
  });
});
