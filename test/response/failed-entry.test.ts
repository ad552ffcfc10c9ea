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
});
