import { describe, expect, it } from "vitest";
import { LateAnswers } from "../../src/handlers/late-answers.ts";
import { handleMonitor } from "../../src/handlers/monitor.ts";
import { handleValidate } from "../../src/handlers/validate.ts";
import { handleValidateBatch } from "../../src/handlers/validate-batch.ts";
import { BTC, WALLET, walletState } from "../support/builders.ts";
import { handlerDeps } from "../support/handler-deps.ts";

// Mutants killed by hand: all made in one turn; one a turn; exits after the others, or in no order; others overtaken by
// later ones; a turn given up after one that threw.

/** Answers that take a millisecond each, on a clock of their own. */
class Bench {
  readonly made: string[] = [];
  #nowMs = 0;
  readonly late = new LateAnswers(() => this.#nowMs);

  ask(name: string, isExit = false): Promise<string> {
    const make = (): string => {
      this.#nowMs += 1;
      this.made.push(name);
      return name;
    };
    return this.late.make(make, isExit);
  }

  /** What a turn of the event loop makes. */
  async turn(): Promise<readonly string[]> {
    await new Promise(setImmediate);
    return this.made.splice(0);
  }
}

describe("late answers", () => {
  it("are made for a slice of time at a turn, in their order", async () => {
    const bench = new Bench();
    const answers = Promise.all(["a", "b", "c", "d", "e"].map((name) => bench.ask(name)));

    expect(bench.made).toEqual([]);
    expect(await bench.turn()).toEqual(["a", "b"]);
    expect(await bench.turn()).toEqual(["c", "d"]);
    expect(await bench.turn()).toEqual(["e"]);
    expect(await answers).toEqual(["a", "b", "c", "d", "e"]);
    expect(await bench.turn()).toEqual([]);
  });

  it("of exits are made first, in their order, whenever they become ready", async () => {
    const bench = new Bench();
    for (const name of ["a", "b", "c", "d"]) void bench.ask(name);

    void bench.ask("exit 1", true);
    void bench.ask("exit 2", true);
    expect(await bench.turn()).toEqual(["exit 1", "exit 2"]);
    void bench.ask("e");
    expect(await bench.turn()).toEqual(["a", "b"]);
    void bench.ask("exit 3", true);
    expect(await bench.turn()).toEqual(["exit 3", "c"]);
    void bench.ask("f");
    expect(await bench.turn()).toEqual(["d", "e"]);
    expect(await bench.turn()).toEqual(["f"]);
  });

  it("that cannot be made hold up no other", async () => {
    const bench = new Bench();
    const broken = bench.late.make(() => {
      throw new Error("broken");
    }, false);
    const answer = bench.ask("a");

    await expect(broken).rejects.toThrow("broken");
    expect(await answer).toBe("a");
  });

  it("may be promises", async () => {
    const bench = new Bench();

    expect(await bench.late.make(() => Promise.resolve(1), false)).toBe(1);
  });
});

describe("an answer that had to ask the exchange", () => {
  it("waits for its turn, an exit before others", async () => {
    const turns: boolean[] = [];
    const lateAnswers = new LateAnswers(() => 0);
    const deps = {
      ...handlerDeps({ account: walletState(1e6) }),
      lateAnswers: {
        make: <Answer>(answer: () => Answer | Promise<Answer>, isExit: boolean) => {
          turns.push(isExit);
          return lateAnswers.make(answer, isExit);
        },
      },
      onMonitored: () => undefined,
    };
    const trade = (action: string) => ({ asset: BTC, action, size: 100 });
    const call = { requestId: "id", elapsedMs: () => 0, isAbandoned: () => false };
    const single = (action: string) => handleValidate({ ...trade(action), wallet: WALLET }, "id", deps);
    const batch = (...actions: string[]) =>
      handleValidateBatch({ wallet: WALLET, trades: actions.map(trade) }, call, deps);

    const results = await Promise.all([
      single("long"),
      single("close"),
      batch("long"),
      batch("long", "close"),
      handleMonitor(WALLET, deps),
    ]);

    expect(results.map(({ ok }) => ok)).toEqual([true, true, true, true, true]);
    expect(turns).toEqual([false, true, false, true, false]);
  });
});
