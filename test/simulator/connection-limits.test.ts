import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ClientUsage, ConnectionLimits } from "../../src/simulator/connection-limits.ts";

const NOW_MS = Date.UTC(2026, 10, 20, 16, 7, 12);

describe("what a client has used in a minute", () => {
  it("is all of the running second and the 59 before it", () => {
    const step = fc.record({
      waitMs: fc.oneof(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 0, max: 130_000 })),
      amount: fc.integer({ min: 0, max: 100 }),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
        const { weight } = new ClientUsage();
        const spent: { second: number; amount: number }[] = [];
        let nowMs = NOW_MS;
        for (const { waitMs, amount } of steps) {
          nowMs += waitMs;
          const second = Math.floor(nowMs / 1000);
          const expected = spent.filter((one) => one.second > second - 60);
          expect(weight.used(nowMs)).toBe(expected.reduce((sum, one) => sum + one.amount, 0));
          weight.add(nowMs, amount);
          spent.push({ second, amount });
        }
      }),
    );
  });

  it("does not shrink while the clock is set back", () => {
    const { messages } = new ClientUsage();
    messages.add(NOW_MS, 3);
    messages.add(NOW_MS - 30_000, 4);

    expect([messages.used(NOW_MS - 30_000), messages.used(NOW_MS + 59_000)]).toEqual([7, 7]);
    expect(messages.used(NOW_MS + 60_000)).toBe(0);
  });
});

describe("the users that a client tracks", () => {
  it("are counted once each, until the last subscription to one has gone", () => {
    const usage = new ClientUsage();
    for (const user of ["a", "b", "a"]) usage.trackUser(user);
    expect(usage.userCount).toBe(2);

    usage.releaseUser("a");
    expect([usage.tracks("a"), usage.userCount]).toEqual([true, 2]);
    usage.releaseUser("a");
    expect([usage.tracks("a"), usage.userCount]).toEqual([false, 1]);
  });
});

describe("the clients of the exchange", () => {
  it("have the documented limits, save those that are named", () => {
    expect(new ConnectionLimits({ users: 3 }).limits).toEqual({
      weightPerMinute: 1200,
      connections: 10,
      connectionsPerMinute: 30,
      subscriptions: 1000,
      users: 3,
      messagesPerMinute: 2000,
      pendingPosts: 100,
      silenceMs: 60_000,
      unreadBytes: 4_000_000,
    });
  });

  it("are forgotten after a minute of nothing, and not while something of theirs counts", () => {
    const uses: ((usage: ClientUsage) => void)[] = [
      (usage) => usage.connectionCount++,
      (usage) => usage.subscriptionCount++,
      (usage) => usage.trackUser("a"),
      ...(["weight", "messages", "opened"] as const).map(
        (meter) => (usage: ClientUsage) => usage[meter].add(NOW_MS + 30_000, 1),
      ),
    ];
    for (const use of [undefined, ...uses]) {
      const clients = new ConnectionLimits({});
      const first = clients.clientOf("::1", NOW_MS);
      use?.(first);

      expect(clients.clientOf("::1", NOW_MS + 59_999)).toBe(first);
      expect(clients.clientOf("::1", NOW_MS + 60_000) === first).toBe(use !== undefined);
    }
  });
});
