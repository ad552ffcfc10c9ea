import { afterEach, describe, expect, it } from "vitest";
import { err } from "../../src/domain/result.ts";
import { ALERT_SOCKET_LIMITS } from "../../src/http/alerts-socket.ts";
import { ClientSockets } from "../../src/http/client-sockets.ts";
import { HttpServer } from "../../src/http/http-server.ts";
import { HttpBench, KEY, openedSocket, POST_HEAD, requestText, textOf } from "../support/http-bench.ts";

// Mutants killed by hand: refused at once by the server, where a body was read, where an upgrade is refused.

/** Some tens of milliseconds of work. */
const SENT_AHEAD = 2_500;
const UPGRADE = `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${"A".repeat(22)}==\r\n`;

describe("refusals of what one client sends ahead", () => {
  const bench = new HttpBench();
  afterEach(() => bench.close());

  it.each([
    ["of a path that there is not", requestText("/none")],
    ["of a method", requestText("/health", "PUT")],
    ["without a key", requestText("/late").replace(/Authorization.*\r\n/, "")],
    ["of a body that is not JSON", `${POST_HEAD}Content-Length: 1\r\n\r\n{`],
  ])("do not keep the thread from others: %s", async (_name, request) => {
    const url = await bench.start(2 * SENT_AHEAD);

    expect(await answersToAll(url, request)).toBeLessThan(SENT_AHEAD);
  });

  it("do not keep the thread from others: over the limit of a key", async () => {
    const url = await bench.start(1);
    await fetch(`${url}/none`, { headers: { authorization: `Bearer ${KEY}` } });

    expect(await answersToAll(url, requestText("/throws"))).toBeLessThan(SENT_AHEAD);
  });

  it("do not keep the thread from others: of an upgrade", async () => {
    const sockets = new ClientSockets({
      path: "/ws",
      admit: () => err({ error: { code: "missing_key" } }),
      limits: ALERT_SOCKET_LIMITS,
      onCut: () => undefined,
      onInternalError: () => undefined,
    });
    const server = new HttpServer({ ...bench.options([]), sockets: [sockets] });
    const url = `http://127.0.0.1:${await server.listen("127.0.0.1", 0)}`;

    const answers = await answersToAll(url, requestText("/ws").replace("\r\n\r\n", `\r\n${UPGRADE}\r\n`));

    expect(answers).toBeLessThan(SENT_AHEAD);
    await server.close();
  });
});

/** How many answers come of a request that is sent again and again without waiting for any; the last asks for the end. */
async function answersToAll(url: string, request: string): Promise<number> {
  const socket = await openedSocket(url);
  const answers = textOf(socket);
  socket.write(request.repeat(SENT_AHEAD));
  socket.write(request.replace("\r\n", "\r\nConnection: close\r\n"));
  return (await answers).split("HTTP/1.1 ").length - 1;
}
