import { mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocketServer } from "ws";
import { networkAddressOf, NetworkTransport } from "../../../src/exchange/hyperliquid/network-transport.ts";
import { hasOpenssl, selfSignedFiles } from "../../support/self-signed.ts";

// Mutants tried: 500 with null taken for transient; the abort reported as unreachable; onClose called twice; a zipped reply
// read as it is; pieces of a reply made text one by one; no limit of length, plain or unzipped; errors of a reply whose head
// has come not heard. Each fails below.

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const NEVER = new AbortController().signal;

describe("postInfo", () => {
  it.each([
    [200, "application/json", '{"time":5}', { ok: true, value: { time: 5 } }],
    [200, "application/json", "null", { ok: true, value: null }],
    [200, "text/plain", "oops", { ok: false, error: { code: "unparseable" } }],
    [500, "application/json", "null", { ok: false, error: { code: "refused" } }],
    [500, "text/html", "<html>", { ok: false, error: { code: "unreachable" } }],
    [502, "text/html", "<html>", { ok: false, error: { code: "unreachable" } }],
    [429, "application/json", "null", { ok: false, error: { code: "rate_limited" } }],
    [422, "text/plain", "Failed to deserialize", { ok: false, error: { code: "refused" } }],
  ])("HTTP %d %s %s", async (status, contentType, body, expected) => {
    const { transport } = await serving((_, response) => {
      response.writeHead(status, { "Content-Type": contentType }).end(body);
    });
    expect(await transport.postInfo({ type: "exchangeStatus" }, NEVER)).toMatchObject(expected);
  });

  it("posts JSON over a kept connection", async () => {
    const seen: { port: number | undefined; type: string | undefined; body: string }[] = [];
    const { transport } = await serving((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        seen.push({ port: request.socket.remotePort, type: request.headers["content-type"], body });
        response.end("1");
      });
    });
    for (let i = 0; i < 10; i++) await transport.postInfo({ type: "meta" }, NEVER);

    expect(seen[0]).toMatchObject({ type: "application/json", body: '{"type":"meta"}' });
    // A connection is free again a tick after its answer, so a second one may be opened before the first is reused.
    expect(new Set(seen.map(({ port }) => port)).size).toBeLessThanOrEqual(2);
  });

  it.runIf(hasOpenssl)("tells nothing to a host whose certificate nobody vouches for", async () => {
    const { certFile, keyFile } = selfSignedFiles(mkdtempSync(join(tmpdir(), "breakwater-tls-")));
    let requests = 0;
    const secure = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
    const server = createSecureServer(secure, (_, response) => {
      requests++;
      response.end("1");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const transport = new NetworkTransport(networkAddressOf(`https://127.0.0.1:${port}`));
    closers.push(async () => {
      await transport.close();
      await new Promise((resolve) => server.close(resolve));
    });

    const reply = await transport.postInfo({ type: "meta" }, NEVER);

    expect(reply).toEqual({
      ok: false,
      error: { code: "unreachable", detail: "meta: self-signed certificate" },
    });
    expect(requests).toBe(0);
  });

  it("gives timeout when aborted and unreachable when nobody answers", async () => {
    const abort = new AbortController();
    const { transport } = await serving(() => {
      abort.abort();
    });
    expect(await transport.postInfo({ type: "meta" }, abort.signal)).toMatchObject({
      error: { code: "timeout" },
    });

    const nowhere = new NetworkTransport(networkAddressOf("http://127.0.0.1:1"));
    expect(await nowhere.postInfo({ type: "meta" }, NEVER)).toMatchObject({ error: { code: "unreachable" } });
  });
});

describe("a reply of the network", () => {
  const TOO_LONG = JSON.stringify("x".repeat(17 * 1024 * 1024));

  it("is asked for zipped and read zipped", async () => {
    const { transport } = await serving((request, response) => {
      expect(request.headers["accept-encoding"]).toBe("gzip");
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync('{"name":"Grüße"}'));
    });
    expect(await transport.postInfo({ type: "meta" }, NEVER)).toEqual({ ok: true, value: { name: "Grüße" } });
  });

  it("is whole also when a letter comes in two pieces", async () => {
    const bytes = Buffer.from('"ü"');
    const { transport } = await serving((_, response) => {
      response.write(bytes.subarray(0, 2));
      setTimeout(() => response.end(bytes.subarray(2)), 20);
    });
    expect(await transport.postInfo({ type: "meta" }, NEVER)).toEqual({ ok: true, value: "ü" });
  });

  it.each([
    ["plain", {}, Buffer.from(TOO_LONG)],
    ["zipped", { "content-encoding": "gzip" }, gzipSync(TOO_LONG)],
  ])("is refused for good when it is too long, %s", async (_, headers, body) => {
    const { transport } = await serving((__, response) => {
      response.writeHead(200, headers).end(body);
    });
    expect(await transport.postInfo({ type: "meta" }, NEVER)).toMatchObject({
      error: { code: "unparseable" },
    });
  });

  it.each([
    ["is cut off", {}, Buffer.from('{"time":')],
    ["says zipped and is not", { "content-encoding": "gzip" }, Buffer.from('{"time":5}')],
  ])("may be asked for again when it %s", async (_, headers, body) => {
    const { transport } = await serving((__, response) => {
      response.writeHead(200, { ...headers, "content-length": 10 });
      if (body.length < 10) response.write(body, () => setTimeout(() => response.destroy(), 20));
      else response.end(body);
    });
    expect(await transport.postInfo({ type: "meta" }, NEVER)).toMatchObject({
      error: { code: "unreachable" },
    });
  });

  it("is waited for until it is aborted, the head having come", async () => {
    const abort = new AbortController();
    const { transport } = await serving((_, response) => {
      response.writeHead(200, { "content-length": 10 });
      response.write("[", () => setTimeout(() => abort.abort(), 20));
    });
    expect(await transport.postInfo({ type: "meta" }, abort.signal)).toMatchObject({
      error: { code: "timeout" },
    });
  });
});

describe("openSocket", () => {
  it("opens, carries text both ways, and closes once when the server goes", async () => {
    const { transport, sockets } = await serving(() => undefined);
    sockets.on("connection", (peer) => {
      peer.on("message", (data: Buffer) => {
        peer.send(`echo ${data.toString()}`);
      });
    });
    const log: string[] = [];
    await new Promise<void>((resolve) => {
      const socket = transport.openSocket({
        onOpen: () => {
          log.push("open");
          socket.send("hello");
        },
        onText: (text) => {
          log.push(text);
          for (const peer of sockets.clients) peer.terminate();
        },
        onClose: (detail) => {
          log.push(detail);
          socket.send("to nobody");
          socket.terminate();
          resolve();
        },
      });
    });
    expect(log).toEqual(["open", "echo hello", "closed 1006"]);
  });

  it("reports a refused connection as a close, once", async () => {
    const transport = new NetworkTransport(networkAddressOf("http://127.0.0.1:1"));
    const detail = await new Promise<string>((resolve) => {
      transport.openSocket({ onOpen: () => undefined, onText: () => undefined, onClose: resolve });
    });
    expect(detail).toMatch(/^closed 1006: .*ECONNREFUSED/);
  });

  it("can be terminated before it is open", async () => {
    const { transport } = await serving(() => undefined);
    const detail = await new Promise<string>((resolve) => {
      const socket = transport.openSocket({
        onOpen: () => undefined,
        onText: () => undefined,
        onClose: resolve,
      });
      socket.terminate();
    });
    expect(detail).toMatch(/^closed 1006/);
  });
});

describe("networkAddressOf", () => {
  it("puts both addresses under one base", () => {
    expect(networkAddressOf("https://api.hyperliquid.xyz/")).toEqual({
      infoUrl: "https://api.hyperliquid.xyz/info",
      wsUrl: "wss://api.hyperliquid.xyz/ws",
    });
  });
});

async function serving(
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ transport: NetworkTransport; sockets: WebSocketServer }> {
  const server: Server = createServer(onRequest);
  const sockets = new WebSocketServer({ server, path: "/ws" });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const transport = new NetworkTransport(networkAddressOf(`http://127.0.0.1:${String(port)}`));
  closers.push(async () => {
    await transport.close();
    sockets.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { transport, sockets };
}
