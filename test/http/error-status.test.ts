import { describe, expect, it } from "vitest";
import { headerOf, STATUS_LINES } from "../../src/http/error-status.ts";

describe("an expected error", () => {
  it("has the status that the contract gives to it", () => {
    const codes = Object.entries(STATUS_LINES).map(
      ([code, line]) => [code, Number(line.slice(0, 3))] as const,
    );
    const withStatus = (status: number): string[] =>
      codes.filter(([, of]) => of === status).map(([code]) => code);

    expect(withStatus(401)).toEqual(["missing_key", "invalid_key"]);
    expect(withStatus(404)).toEqual(["not_found"]);
    expect(withStatus(405)).toEqual(["method_not_allowed"]);
    expect(withStatus(409)).toEqual(["conflict"]);
    expect(withStatus(413)).toEqual(["payload_too_large"]);
    expect(withStatus(415)).toEqual(["unsupported_media_type"]);
    expect(withStatus(429)).toEqual(["rate_limited"]);
    expect(withStatus(500)).toEqual(["internal_error"]);
    expect(withStatus(502)).toEqual(["upstream_failed"]);
    expect(withStatus(503)).toEqual(["starting_up", "market_unavailable", "unavailable"]);
    expect(withStatus(504)).toEqual(["timeout"]);
    // What is left is the request's own fault.
    expect(new Set(codes.map(([, status]) => status))).toEqual(
      new Set([400, 401, 404, 405, 409, 413, 415, 429, 500, 502, 503, 504]),
    );
  });

  it("says when to come back where waiting helps", () => {
    expect(headerOf({ code: "starting_up", retryAfterSeconds: 7 })).toEqual(["Retry-After", "7"]);
    expect(headerOf({ code: "rate_limited", retryAfterSeconds: 42 })).toEqual(["Retry-After", "42"]);
    for (const code of ["unavailable", "upstream_failed", "timeout"] as const) {
      expect(headerOf({ code, detail: "" })).toEqual(["Retry-After", "1"]);
    }
    expect(headerOf({ code: "market_unavailable", asset: "BTC", detail: "" })).toEqual(["Retry-After", "1"]);
    expect(headerOf({ code: "not_json" })).toBeUndefined();
  });
});
