import { describe, expect, it } from "vitest";
import type { ExchangeFailure } from "../../../src/domain/errors.ts";
import { err, ok } from "../../../src/domain/result.ts";
import type { InfoPatience } from "../../../src/exchange/hyperliquid/info-client.ts";
import { InfoClient } from "../../../src/exchange/hyperliquid/info-client.ts";
import { parseExchangeStatus } from "../../../src/exchange/hyperliquid/parse-universe.ts";
import { WeightBudget } from "../../../src/exchange/hyperliquid/weight-budget.ts";
import { ManualTimers } from "../../support/manual-timers.ts";
import { answered, ScriptedTransport } from "../support/scripted-transport.ts";

// Mutants tried: refused made transient; attempts off by one; weight taken once for all attempts; the timeout not
// cancelled after an answer. Each fails below.

const CALL = {
  body: { type: "exchangeStatus" },
  weight: 2,
  priority: "live" as const,
  parse: parseExchangeStatus,
};
const FAILURE = (code: ExchangeFailure["code"]): ReturnType<typeof err<ExchangeFailure>> =>
  err({ code, detail: "x" });
const statusAt = (timeMs: number): object => ({ timeMs, specialStatuses: null });

describe("InfoClient", () => {
  it("gives the parsed answer", async () => {
    const { client } = bench([answered({ time: 17 })]);
    expect(await client.call(CALL)).toEqual(ok(statusAt(17)));
  });

  it.each(["rate_limited", "unreachable"] as const)(
    "repeats after %s, waiting longer each time",
    async (code) => {
      const { client, timers, transport } = bench([FAILURE(code), FAILURE(code), answered({ time: 5 })]);
      const startMs = timers.nowMs();
      let doneAtMs = 0;
      const call = client.call(CALL).finally(() => (doneAtMs = timers.nowMs()));

      await timers.advance(60_000);

      expect(await call).toEqual(ok(statusAt(5)));
      expect(transport.requests).toHaveLength(3);
      // uniform 0.5: three quarters of 250 + 500, and of 2000 + 4000 when the limit was hit
      expect(doneAtMs - startMs).toBe(code === "unreachable" ? 563 - 0.5 : 4_500);
    },
  );

  it.each(["refused", "unparseable"] as const)("does not repeat after %s", async (code) => {
    const { client, transport } = bench([FAILURE(code)]);
    expect(await client.call(CALL)).toEqual(FAILURE(code));
    expect(transport.requests).toHaveLength(1);
  });

  it("gives up after its attempts and says why", async () => {
    const { client, timers, transport } = bench([]);
    transport.answers = () => FAILURE("unreachable");
    const call = client.call(CALL);
    await timers.advance(60_000);
    expect(await call).toEqual(FAILURE("unreachable"));
    expect(transport.requests).toHaveLength(3);
  });

  it("cuts a slow answer at its timeout, each attempt anew", async () => {
    const { client, timers, transport } = bench([]);
    transport.answers = () => "hang";
    const call = client.call(CALL);
    await timers.advance(60_000);
    expect(await call).toEqual(err({ code: "timeout", detail: "exchangeStatus" }));
    expect(transport.requests).toHaveLength(3);
  });

  it("says what was wrong with an answer that is not what was asked for", async () => {
    const { client } = bench([answered({ time: "soon" })]);
    expect(await client.call(CALL)).toEqual(
      err({ code: "unparseable", detail: "exchangeStatus: time: wrong_type, found soon" }),
    );
  });

  it("does not wait for weight longer than it may", async () => {
    const { client, timers, budget, transport } = bench([answered({ time: 1 })], { budgetWaitMsMax: 1_000 });
    await budget.take(100);
    const call = client.call(CALL);
    await timers.advance(1_000);
    expect(await call).toMatchObject({ ok: false, error: { code: "rate_limited" } });
    expect(transport.requests).toHaveLength(0);
  });
});

interface Bench {
  readonly client: InfoClient;
  readonly timers: ManualTimers;
  readonly transport: ScriptedTransport;
  readonly budget: WeightBudget;
}

function bench(answers: ReturnType<typeof answered>[], patience: Partial<InfoPatience> = {}): Bench {
  const timers = new ManualTimers();
  const transport = new ScriptedTransport();
  const queue = [...answers];
  transport.answers = () => queue.shift() ?? FAILURE("refused");
  const budget = new WeightBudget([{ capacity: 100, windowMs: 60_000 }], timers);
  const client = new InfoClient(
    { transport, budget, timers, uniform: () => 0.5 },
    { timeoutMs: 5_000, attemptsMax: 3, budgetWaitMsMax: Number.POSITIVE_INFINITY, ...patience },
  );
  return { client, timers, transport, budget };
}
