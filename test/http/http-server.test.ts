import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { HttpServer } from "../../src/http/http-server.ts";
import { HttpBench, JSON_HEADERS, requestText } from "../support/http-bench.ts";

describe("HttpServer", () => {
  const bench = new HttpBench();
  afterEach(() => bench.close());

  it("hands over body, parameter and a request id, and answers JSON with the rate headers", async () => {
    const url = await bench.start();

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

  it("names what is not JSON, too large, not there, or asked with the wrong method", async () => {
    const url = await bench.start(20);
    const post = (path: string, body: string) =>
      fetch(`${url}${path}`, { method: "POST", headers: JSON_HEADERS, body });

    const notJson = await post("/echo/x", "{");
    const tooLarge = await post("/echo/x", `"${"x".repeat(5000)}"`);
    const elsewhere = await post("/nowhere", "{}");
    const wrongMethod = await post("/health", "{}");
    const alsoWrong = await fetch(`${url}/echo/x`);

    expect([notJson.status, tooLarge.status, elsewhere.status, wrongMethod.status]).toEqual([
      400, 413, 404, 405,
    ]);
    expect(await notJson.json()).toEqual({ error: "validation_error", detail: "body is not valid JSON" });
    expect(await tooLarge.json()).toMatchObject({ error: "payload_too_large" });
    expect(await elsewhere.json()).toMatchObject({ error: "not_found" });
    expect([wrongMethod, alsoWrong].map(({ headers }) => headers.get("allow"))).toEqual([
      "GET, HEAD",
      "POST",
    ]);
    expect(wrongMethod.headers.get("www-authenticate")).toBe(null);
  });

  it("answers the public path without a key", async () => {
    const url = await bench.start();

    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it("answers with the status that the endpoint says, and to a HEAD with its body's length in bytes", async () => {
    const url = await bench.start();

    const answers = await Promise.all(
      (["GET", "HEAD"] as const).map((method) => fetch(`${url}/starting`, { method })),
    );

    expect(await answers[0]!.text()).toBe('{"état":"starting"}');
    expect(answers.map(({ status, headers }) => [status, headers.get("content-length")])).toEqual([
      [503, "20"],
      [503, "20"],
    ]);
  });

  it("turns a throw and a rejection into a 500 that names the request and nothing of the inside", async () => {
    const url = await bench.start();

    for (const path of ["/throws", "/rejects"]) {
      const response = await fetch(`${url}${path}`, { headers: JSON_HEADERS });
      const text = await response.text();
      expect(response.status).toBe(500);
      expect(text).toContain("internal_error");
      expect(text).not.toContain("inside");
    }
    expect(bench.internalErrors).toEqual(["/throws: inside", "/rejects: inside"]);
  });

  it("survives a client that leaves before the late answer", async () => {
    const url = await bench.start();
    const { port } = new URL(url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(requestText("/late"));
    await bench.lateAsked;
    socket.destroy();
    // The server hears of it before it answers this.
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect(bench.lateReply?.isDone).toBe(true);
    bench.answerLate();

    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect(bench.internalErrors).toEqual([]);
  });

  it("answers many connections at once, each its own, and counts every one", async () => {
    const url = await bench.start(1000);
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
    const url = await bench.start();
    const second = new HttpServer(bench.options([]));

    await expect(second.listen("127.0.0.1", Number(new URL(url).port))).rejects.toThrow("is taken");
    await second.close();
  });
});
