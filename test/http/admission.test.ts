import { afterEach, describe, expect, it } from "vitest";
import { HttpBench, JSON_HEADERS } from "../support/http-bench.ts";

describe("admission", () => {
  const bench = new HttpBench();
  afterEach(() => bench.close());

  it("refuses the request after the limit with the same wait in header and body", async () => {
    const url = await bench.start();
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
    const url = await bench.start();
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
});
