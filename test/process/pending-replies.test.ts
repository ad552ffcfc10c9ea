import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PENDING_MAX, PendingReplies } from "../../src/process/pending-replies.ts";

// Mutants killed by hand: questions without a bound; a question that could not be sent waits; one that is not answered
// waits for ever; a thread that ended answers nothing.

describe("questions to another thread", () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => vi.useRealTimers());

  it("are answered by their ids, in whatever order, each once", async () => {
    const replies = new PendingReplies<string>(1_000);
    const asked = ["a", "b"].map((name) => replies.ask((id) => ids.push([name, id]) > 0));
    for (const [name, id] of ids.splice(0).reverse()) replies.settle(id, `${name}!`);
    expect(await Promise.all(asked)).toEqual(["a!", "b!"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("are answered with nothing at once when nobody can be asked, or when too many wait", async () => {
    const replies = new PendingReplies<string>(1_000);
    expect(await replies.ask(() => false)).toBeNull();

    const waiting = Array.from({ length: PENDING_MAX }, () => replies.ask(() => true));
    const send = vi.fn(() => true);
    expect(await replies.ask(send)).toBeNull();
    expect(send).not.toHaveBeenCalled();
    replies.abandon();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([null]));
    const after = replies.ask(send);
    expect(send).toHaveBeenCalledOnce();
    replies.abandon();
    expect(await after).toBeNull();
  });

  it("are answered with nothing when their time is over, and an answer that comes later is nobody's", async () => {
    const replies = new PendingReplies<string>(1_000);
    let asked = 0;
    const late = replies.ask((id) => (asked = id) > 0);
    vi.advanceTimersByTime(999);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await late).toBeNull();
    expect(() => replies.settle(asked, "late")).not.toThrow();
  });
});

const ids: [string, number][] = [];
