import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SYSTEM_CLOCK } from "../../src/domain/clock.ts";
import type { IssuedKey } from "../../src/domain/issued-key.ts";
import { isKeyId, keyIdOf, newKeyText } from "../../src/http/key-text.ts";
import { type ApiKey, bearerTokenOf, hashKey, KeyRing, storedKeyOf } from "../../src/http/key-ring.ts";
import { SlidingWindow } from "../../src/http/rate-limit.ts";

describe("KeyRing", () => {
  it("finds a key by its text, also the second time, and nothing else", () => {
    const ring = new KeyRing(
      [storedKeyOf("first", "alpha-secret"), storedKeyOf("second", "beta-secret")],
      100,
      SYSTEM_CLOCK,
    );

    expect(find(ring, "beta-secret")?.id).toBe("second");
    expect(find(ring, "beta-secret")?.id).toBe("second");
    expect(find(ring, "alpha-secret")?.id).toBe("first");
    expect(find(ring, "beta-secre")).toBeUndefined();
    expect(find(ring, "")).toBeUndefined();
  });

  it("keeps no clear text in what it stores", () => {
    expect(JSON.stringify(storedKeyOf("first", "alpha-secret"))).not.toContain("alpha-secret");
    expect(storedKeyOf("a", "alpha-secret").hashHex).not.toBe(storedKeyOf("b", "alpha-secret").hashHex);
  });

  it("gives a key its own limit where it has one", () => {
    const ring = new KeyRing(
      [{ ...storedKeyOf("a", "k"), rateLimitPerMinute: 7 }, storedKeyOf("b", "l")],
      100,
      SYSTEM_CLOCK,
    );

    expect([find(ring, "k")?.window.limit, find(ring, "l")?.window.limit]).toEqual([7, 100]);
  });
});

describe("hashKey", () => {
  it("is HMAC-SHA256 with the salt as its key, so that keys outlive a release", () => {
    // Source: Wikipedia, HMAC, examples
    expect(hashKey("key", "The quick brown fox jumps over the lazy dog")).toBe(
      "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8",
    );
  });
});

describe("issued keys", () => {
  const issued = (
    id: string,
    changes: Partial<IssuedKey> = {},
  ): { readonly text: string; readonly key: IssuedKey } => {
    const text = newKeyText(id);
    const { salt, hashHex } = storedKeyOf(id, text);
    const nothing = { rateLimitPerMinute: null, expiresAtMs: null, revokedAtMs: null, lastUsedAtMs: null };
    return { text, key: { id, salt, hashHex, createdAtMs: 0, ...nothing, ...changes } };
  };
  const ringAt = (clock: { timeMs: number }): KeyRing =>
    new KeyRing([storedKeyOf("configured", "alpha-secret")], 100, { nowMs: () => clock.timeMs });

  it("are found beside the configured ones, each by its own text only", () => {
    const ring = ringAt({ timeMs: 1 });
    const [desk, bot] = [issued("desk"), issued("bot-2", { rateLimitPerMinute: 7 })];
    ring.replaceIssued([desk.key, bot.key]);

    expect(find(ring, desk.text)?.window.limit).toBe(100);
    expect(find(ring, bot.text)?.window.limit).toBe(7);
    expect(find(ring, "alpha-secret")?.id).toBe("configured");
    expect(find(ring, newKeyText("desk"))).toBeUndefined();
    expect(find(ring, desk.text.replace("bw_desk_", "bw_bot-2_"))).toBeUndefined();
  });

  it("leave the ring empty when the last is revoked", () => {
    const ring = new KeyRing([], 100, SYSTEM_CLOCK);
    const { key } = issued("desk");
    expect(ring.isEmpty).toBe(true);
    ring.replaceIssued([key]);
    expect(ring.isEmpty).toBe(false);
    ring.replaceIssued([{ ...key, revokedAtMs: 1 }]);
    expect(ring.isEmpty).toBe(true);
    expect(ringAt({ timeMs: 1 }).isEmpty).toBe(false);
  });

  it("are unknown the moment they are revoked, though they were in use", () => {
    const ring = ringAt({ timeMs: 1 });
    const [desk, bot] = [issued("desk"), issued("bot")];
    ring.replaceIssued([desk.key, bot.key]);
    expect(find(ring, desk.text)?.id).toBe("desk");

    ring.replaceIssued([{ ...desk.key, revokedAtMs: 5 }, bot.key]);

    expect(find(ring, desk.text)).toBeUndefined();
    expect(find(ring, bot.text)?.id).toBe("bot");
  });

  it("are no longer what they were when another secret is issued under their name", () => {
    const ring = ringAt({ timeMs: 1 });
    const [former, renewed] = [issued("desk"), issued("desk")];
    ring.replaceIssued([former.key]);
    const found = find(ring, former.text)!;
    expect(ring.current(found)).toBe(found);

    ring.replaceIssued([renewed.key]);

    expect(ring.current(found)).toBeUndefined();
  });

  it("end at their time, though they were in use before", () => {
    const clock = { timeMs: 999 };
    const ring = ringAt(clock);
    const desk = issued("desk", { expiresAtMs: 1_000 });
    ring.replaceIssued([desk.key]);

    expect(find(ring, desk.text)?.id).toBe("desk");
    clock.timeMs = 1_000;
    expect(find(ring, desk.text)).toBeUndefined();
  });

  it("keep their count when others change, and start a new one when their limit changes", () => {
    const ring = ringAt({ timeMs: 1 });
    const desk = issued("desk", { rateLimitPerMinute: 1 });
    ring.replaceIssued([desk.key]);
    find(ring, desk.text)!.window.accept(0);

    ring.replaceIssued([desk.key, issued("bot").key]);
    expect(find(ring, desk.text)!.window.accept(1)).toBe(false);
    ring.replaceIssued([{ ...desk.key, rateLimitPerMinute: 2 }]);
    expect(find(ring, desk.text)!.window.accept(2)).toBe(true);
  });

  it("say when they were last used, once", () => {
    const clock = { timeMs: 5 };
    const ring = ringAt(clock);
    const desk = issued("desk");
    ring.replaceIssued([desk.key, issued("idle").key]);
    find(ring, desk.text);
    clock.timeMs = 9;
    find(ring, desk.text);
    find(ring, "alpha-secret");

    expect([...ring.takeUse()]).toEqual([["desk", 9]]);
    expect([...ring.takeUse()]).toEqual([]);
  });

  it("are not said to be used when a configured key of the same id is", () => {
    const ring = new KeyRing([storedKeyOf("desk", "of-the-file")], 100);
    ring.replaceIssued([issued("desk").key]);

    const key = find(ring, "of-the-file")!;
    ring.noteUse(key);

    expect([...ring.takeUse()]).toEqual([]);
  });

  it("are not called invalid before they have been read: nobody is to throw a good key away", () => {
    const ring = ringAt({ timeMs: 1 });
    const desk = issued("desk");
    const other = new KeyRing(structuredClone(ring.shared.configured), 100);
    other.replaceShared(structuredClone(ring.shared.issued));
    const unread = { ok: false, error: { code: "unavailable" } };
    for (const each of [ring, other]) {
      expect(each.presentedIn(`Bearer ${desk.text}`)).toMatchObject(unread);
      expect(each.presentedIn("Bearer bw_desk_short")).toMatchObject({ error: { code: "invalid_key" } });
      expect(each.presentedIn("Bearer alpha-secret")).toMatchObject({ ok: true });
    }

    ring.replaceIssued([desk.key]);
    other.replaceShared(structuredClone(ring.shared.issued));

    for (const each of [ring, other]) {
      expect(find(each, desk.text)?.id).toBe("desk");
      expect(each.presentedIn(`Bearer ${issued("desk").text}`)).toMatchObject({
        error: { code: "invalid_key" },
      });
    }
  });

  it("count on one limit in the ring of another thread, and end there too when they are revoked", () => {
    const ring = ringAt({ timeMs: 1 });
    const desk = issued("desk", { rateLimitPerMinute: 2, expiresAtMs: 50 });
    ring.replaceIssued([desk.key]);
    const clock = { timeMs: 2 };
    const other = new KeyRing(structuredClone(ring.shared.configured), 7, { nowMs: () => clock.timeMs });
    other.replaceShared(structuredClone(ring.shared.issued));

    const accepted = [ring, other, ring].map((each) => find(each, desk.text)!.window.accept(0));
    const limits = ["alpha-secret", desk.text].map((text) => find(other, text)!.window.limit);

    expect(accepted).toEqual([true, true, false]);
    expect(limits).toEqual([100, 2]);
    clock.timeMs = 50;
    expect(find(other, desk.text)).toBeUndefined();
    other.replaceShared([]);
    clock.timeMs = 2;
    expect(find(other, desk.text)).toBeUndefined();
  });

  it("are counted on the machine's clock, for performance.now() starts with each thread", () => {
    const ring = new KeyRing([{ ...storedKeyOf("a", "k"), rateLimitPerMinute: 1 }], 100);
    const { window } = find(ring, "k")!;
    const onMachineClock = new SlidingWindow(1, 0, window.memory);
    const machineMs = Number(process.hrtime.bigint()) / 1e6;

    expect(window.accept(performance.now())).toBe(true);

    const waits = [30_000, 70_000].map((laterMs) => onMachineClock.accept(machineMs + laterMs));
    expect(waits).toEqual([false, true]);
  });

  it("do not shut out a configured key that looks like one of them", () => {
    const { key } = issued("desk");
    const text = newKeyText("desk");
    const ring = new KeyRing([storedKeyOf("configured", text)], 100);
    ring.replaceIssued([key]);

    expect(find(ring, text)?.id).toBe("configured");
  });

  it("are told of their uses on other threads, the latest counts", () => {
    const ring = ringAt({ timeMs: 5 });
    const desk = issued("desk");
    ring.replaceIssued([desk.key]);
    find(ring, desk.text);
    ring.noteUses(new Map([["desk", 4]]));
    ring.noteUses(new Map([["desk", 8]]));
    ring.noteUses(new Map([["desk", 7]]));

    expect([...ring.takeUse()]).toEqual([["desk", 8]]);
  });
});

// Mutants killed by hand: a header kept after its key was revoked, for ever, or not at all; as many as a client likes; an
// ended key found by its header.
describe("a header that a key came in", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("is kept for a second, and only with a valid key", () => {
    const ring = new KeyRing([storedKeyOf("a", "k")], 100);
    ring.presentedIn("Bearer wrong");
    ring.presentedIn("wrong");
    expect(ring.headersKept).toBe(0);
    ring.presentedIn("Bearer k");
    ring.presentedIn("Bearer k");
    expect(ring.headersKept).toBe(1);

    vi.advanceTimersByTime(1_000);

    expect(ring.headersKept).toBe(0);
    expect(find(ring, "k")?.id).toBe("a");
  });

  it("does not make the ring grow however it is written", () => {
    const ring = new KeyRing([storedKeyOf("a", "k")], 100);
    for (let spaces = 1; spaces <= 1_100; spaces++) {
      const presented = ring.presentedIn(`Bearer${" ".repeat(spaces)}k`);
      expect(presented.ok && presented.value.id).toBe("a");
    }

    expect(ring.headersKept).toBe(1_000);
  });

  it("that says no key is told from one that says a wrong one", () => {
    const ring = new KeyRing([storedKeyOf("a", "k")], 100);
    const codes = ["", "Basic k", "Bearer x", "Bearer k"].map((header) => {
      const presented = ring.presentedIn(header);
      return presented.ok || presented.error.code;
    });

    expect(codes).toEqual(["missing_key", "missing_key", "invalid_key", true]);
  });
});

describe("key texts", () => {
  it("carry their id and a secret, and nothing else is taken for one", () => {
    const text = newKeyText("desk-7");

    expect(keyIdOf(text)).toBe("desk-7");
    expect(newKeyText("desk-7")).not.toBe(text);
    for (const other of [
      "",
      "bw_desk",
      `${text}x`,
      `x${text}`,
      text.toUpperCase(),
      "bw_de_sk_" + "a".repeat(43),
    ]) {
      expect(keyIdOf(other)).toBeUndefined();
    }
    for (const [id, isOne] of [
      ["desk-7", true],
      ["-a", false],
      ["A", false],
      ["", false],
      ["a".repeat(41), false],
    ] as const) {
      expect(isKeyId(id)).toBe(isOne);
    }
  });
});

describe("bearerTokenOf", () => {
  it.each([
    ["Bearer abc", "abc"],
    ["bearer   abc ", "abc"],
    ["Basic abc", undefined],
    ["Bearer", undefined],
    ["Bearer a b", undefined],
    ["Bearer a, Bearer a", undefined],
    ["", undefined],
  ])("%j -> %j", (header, token) => {
    expect(bearerTokenOf(header)).toBe(token);
  });
});

function find(ring: KeyRing, token: string): ApiKey | undefined {
  const presented = ring.presentedIn(`Bearer ${token}`);
  return presented.ok ? presented.value : undefined;
}
