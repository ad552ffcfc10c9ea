import { afterEach, describe, expect, it } from "vitest";
import { ok } from "../../src/domain/result.ts";
import { ALERT_SOCKET_LIMITS } from "../../src/http/alerts-socket.ts";
import { ClientSockets } from "../../src/http/client-sockets.ts";
import { HttpServer } from "../../src/http/http-server.ts";
import { HttpBench, openedSocket, POST_HEAD, requestText, textOf } from "../support/http-bench.ts";

// Mutants killed by hand: what follows answered, with the connection closed or not; an unclear end not looked for on a
// path that there is not, without a key, or where an upgrade is refused.

const TWO_LENGTHS = "Content-Length: 2\r\nContent-Length: 2\r\n";
const LENGTH_DETAIL = "Content-Length must be one number, given once";
const CODING_DETAIL = "Transfer-Encoding must be chunked, given once";

describe("a request whose end a proxy may have read otherwise", () => {
  const bench = new HttpBench();
  afterEach(() => bench.close());

  it.each([
    ["two lengths", TWO_LENGTHS, "{}", LENGTH_DETAIL],
    ["an empty length", "Content-Length:\r\n", "", LENGTH_DETAIL],
    ["an empty length before another", "Content-Length:\r\nContent-Length: 2\r\n", "", LENGTH_DETAIL],
    ["an unknown coding", "Transfer-Encoding: xchunked\r\n", "2\r\n{}\r\n0\r\n\r\n", CODING_DETAIL],
    ["two codings", "Transfer-Encoding: gzip, chunked\r\n", "2\r\n{}\r\n0\r\n\r\n", CODING_DETAIL],
    [
      "a coding behind an empty one, and a length",
      "Transfer-Encoding:\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n",
      "{}",
      CODING_DETAIL,
    ],
  ])("is refused, and its connection closed: %s", async (_name, lengths, body, detail) => {
    const url = await bench.start();
    const socket = await openedSocket(url);
    const answer = textOf(socket);

    socket.write(`${POST_HEAD}${lengths}\r\n${body}`);

    expect(await answer).toMatch(/400 Bad Request.*^Connection: close\r$/ms);
    expect(await answer).toContain(detail);
  });

  it.each([
    ["an endpoint", POST_HEAD],
    ["a path that there is not", POST_HEAD.replace("/echo/x", "/none")],
    ["an endpoint, without a key", POST_HEAD.replace(/Authorization.*\r\n/, "")],
  ])("takes with it what follows, which may be its body: to %s", async (_name, head) => {
    const url = await bench.start();
    const socket = await openedSocket(url);
    const answers = textOf(socket);

    socket.write(`${head}${TWO_LENGTHS}\r\n{}${requestText("/health")}`);

    expect(await answers).not.toContain("200 OK");
  });

  it("takes with it what follows a refused upgrade", async () => {
    const none = { ...ALERT_SOCKET_LIMITS, socketsMax: 0 };
    const sockets = new ClientSockets({
      path: "/ws",
      admit: () => ok({ connect: () => ({ reply: () => null, closed: () => undefined }) }),
      limits: none,
      onCut: () => undefined,
      onInternalError: () => undefined,
    });
    const server = new HttpServer({ ...bench.options([]), sockets: [sockets] });
    const url = `http://127.0.0.1:${await server.listen("127.0.0.1", 0)}`;
    const socket = await openedSocket(url);
    const answers = textOf(socket);
    const upgrade = `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${"A".repeat(22)}==\r\n`;

    socket.write(
      requestText("/ws").replace("\r\n\r\n", `\r\n${upgrade}${TWO_LENGTHS}\r\n{}${requestText("/none")}`),
    );

    expect(await answers).not.toContain("404");
    await server.close();
  });

  it.each([["chunked"], ["Chunked"], ["\tchunked "]])("is none with the coding %j", async (coding) => {
    const url = await bench.start();
    const socket = await openedSocket(url);
    const answer = textOf(socket);

    socket.write(`${POST_HEAD}Connection: close\r\nTransfer-Encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`);

    expect(await answer).toContain("200 OK");
  });
});
