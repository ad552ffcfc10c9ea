import { describe, expect, it } from "vitest";
import { SYSTEM_CLOCK } from "../../src/domain/clock.ts";
import { bearerTokenOf, KeyRing, storedKeyOf } from "../../src/http/key-ring.ts";

describe("KeyRing", () => {
  it("finds a key by its text, also the second time, and nothing else", () => {
    const ring = new KeyRing(
      [storedKeyOf("first", "alpha-secret"), storedKeyOf("second", "beta-secret")],
      100,
      SYSTEM_CLOCK,
    );

    expect(ring.find("beta-secret")?.id).toBe("second");
    expect(ring.find("beta-secret")?.id).toBe("second");
    expect(ring.find("alpha-secret")?.id).toBe("first");
    expect(ring.find("beta-secre")).toBeUndefined();
    expect(ring.find("")).toBeUndefined();
  });

  it("keeps no clear text in what it stores", () => {
    expect(JSON.stringify(storedKeyOf("first", "alpha-secret"))).not.toContain("alpha-secret");
  });

  it("gives a key its own limit where it has one", () => {
    const ring = new KeyRing(
      [{ ...storedKeyOf("a", "k"), rateLimitPerMinute: 7 }, storedKeyOf("b", "l")],
      100,
      SYSTEM_CLOCK,
    );

    expect([ring.find("k")?.window.limit, ring.find("l")?.window.limit]).toEqual([7, 100]);
  });
});

describe("bearerTokenOf", () => {
  it.each([
    ["Bearer abc", "abc"],
    ["bearer   abc ", "abc"],
    ["Basic abc", undefined],
    ["Bearer", undefined],
    ["Bearer a b", undefined],
    ["", undefined],
  ])("%j -> %j", (header, token) => {
    expect(bearerTokenOf(header)).toBe(token);
  });
});
