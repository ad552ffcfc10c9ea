import { once } from "node:events";
import { connect } from "node:net";
import type { HttpResponse } from "uWebSockets.js";
import { afterEach, describe, expect, it } from "vitest";
import { err, ok, type Result } from "../../src/domain/result.ts";
import { readBody } from "../../src/http/request-body.ts";
import { HttpBench, JSON_HEADERS, openedSocket, POST_HEAD } from "../support/http-bench.ts";

describe("the body of a request", () => {
  const bench = new HttpBench();
  afterEach(() => bench.close());

  it("takes a body of as many bytes as it may have, and none of one more", async () => {
    const url = await bench.start();
    const ask = async (bytes: number): Promise<number> => {
      const body = `"${"x".repeat(bytes - 2)}"`;
      return (await fetch(`${url}/echo/x`, { method: "POST", headers: JSON_HEADERS, body })).status;
    };

    expect([await ask(4096), await ask(4097)]).toEqual([200, 413]);
  });

  it("reads a body that arrives in many pieces", async () => {
    const url = await bench.start();
    const { port } = new URL(url);
    const body = JSON.stringify({ text: "é".repeat(500) });
    const head = `${POST_HEAD}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
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
    const url = await bench.start(20);
    const socket = await openedSocket(url);
    const head = `${POST_HEAD}Transfer-Encoding: chunked\r\n\r\n`;
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

  it("passes over one byte order mark, which some clients put before their JSON", async () => {
    const url = await bench.start();
    const ask = async (body: string): Promise<string> => {
      const answer = await fetch(`${url}/echo/x`, { method: "POST", headers: JSON_HEADERS, body });
      return `${answer.status} ${await answer.text()}`;
    };

    expect(await ask('\ufeff"text"')).toMatch(/^200 .*"body":"text"/);
    expect(await ask('\ufeff\ufeff"text"')).toMatch(/^400 .*not valid JSON/);
    expect(await ask("\ufeff")).toMatch(/^400 .*not valid JSON/);
  });

  it("refuses a body in more pieces than a network makes of one", async () => {
    const url = await bench.start();
    const head = `${POST_HEAD}Transfer-Encoding: chunked\r\n\r\n`;
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

  it.each([
    ["whole", ["[12", "34", "5]"], ok([12_345])],
    [
      "one byte too long",
      ["[12", "34", "56]"],
      err({ code: "payload_too_large", maximum: 7, unit: "bytes" }),
    ],
    ["too long at once", ["[1234567]"], err({ code: "payload_too_large", maximum: 7, unit: "bytes" })],
    [
      "too long before its end",
      ["[1234567", "8", "9]"],
      err({ code: "payload_too_large", maximum: 7, unit: "bytes" }),
    ],
  ])("hands a body over once: %s", (_name, pieces, expected) => {
    const bodies: Result<unknown, unknown>[] = [];
    let give: (chunk: ArrayBuffer, isLast: boolean) => void = () => undefined;
    const response = { onData: (handler: typeof give) => (give = handler) } as unknown as HttpResponse;

    readBody(response, 7, (body) => bodies.push(body));
    pieces.forEach((piece, i) => {
      const chunk = new TextEncoder().encode(piece);
      give(chunk.buffer, i === pieces.length - 1);
      // Its memory is gone when the callback returns.
      chunk.fill(0);
    });

    expect(bodies).toEqual([expected]);
  });
});
