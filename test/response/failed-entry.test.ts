import { describe, expect, it } from "vitest";
import { failedEntry } from "../../src/response/failed-entry.ts";

describe("failedEntry", () => {
  it.each([
    [{ asset: "NOPE", size: 1 }, "NOPE"],
    [{ asset: 7 }, null],
    [{}, null],
    [null, null],
    ["BTC", null],
  ])("of %j names the asset that was asked for, where there is one", (entry, asset) => {
    const failed = failedEntry(entry, { code: "unknown_asset", asset: "NOPE" }, "id", 1.5);

    expect(failed).toMatchObject({ recommendation: "abort", meta: { asset, latency_ms: 1.5 } });
    expect(failed.meta.error).toBe("invalid asset: NOPE");
  });

  it.each([
    [{ code: "size_not_positive", size: -1 }, "validation_error"],
    [{ code: "market_unavailable", asset: "BTC", detail: "no mark price" }, "unavailable"],
    [{ code: "starting_up", retryAfterSeconds: 5 }, "unavailable"],
    [{ code: "upstream_failed", detail: "HTTP 500" }, "upstream_error"],
    [{ code: "timeout", detail: "no wallet state" }, "timeout"],
  ] as const)("tells %j from what the trade is at fault for", (error, code) => {
    expect(failedEntry({}, error, "id", 0).meta.error_code).toBe(code);
  });
});
