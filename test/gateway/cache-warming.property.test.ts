import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CacheWarming } from "../../src/gateway/cache-warming.ts";
import { type TradeAnswers, tradeAnswers } from "../../src/gateway/gateway-endpoints.ts";
import { unheardRequest } from "../../src/gateway/rehearsal.ts";
import type { AssessmentDeps } from "../../src/handlers/trade-assessment.ts";
import { handleValidate } from "../../src/handlers/validate.ts";
import { createLogger } from "../../src/process/logger.ts";
import { answerJson } from "../../src/response/json-text.ts";
import { BTC, ETH, WALLET, walletState } from "../support/builders.ts";
import { handlerDeps } from "../support/handler-deps.ts";
import { SOL } from "../support/market.ts";

vi.mock("../../src/handlers/validate.ts", { spy: true });
vi.mock("../../src/response/json-text.ts", { spy: true });

// Mutants killed: repeated though another order came meanwhile, for ever, or without a rest after a long answer; begun
// before any order, or by one that was refused or had to wait; the first order repeated instead of the last, or
// explained, or with what is ignored in it; uses counted, wallets asked for; answers not written; a failure not told, or followed by another answer.

const PERIOD_MS = 5;
/** As deep as a body of 64 kB can be, which JSON.parse reads and JSON.stringify does not write. */
const NESTED_DEEPLY = 32_000;
const ORDER = { asset: "ETH", action: "long", size: 10_000, leverage: 5, wallet: WALLET };
const logger = createLogger("silent");

let warming: CacheWarming;
let validate: TradeAnswers["validate"];

describe("CacheWarming", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  });
  afterEach(() => {
    warming.end();
    vi.useRealTimers();
    vi.restoreAllMocks();
    forgetAnswers();
  });

  it("repeats the last order while none comes, for a minute, and begins again with the next", async () => {
    await warmed();
    ask({ ...ORDER, explain: true });
    ask({ ...ORDER, asset: "SOL", explain: true });
    forgetAnswers();
    vi.advanceTimersByTime(50 * PERIOD_MS);
    const repeated = bodiesAsked();
    expect(repeated.length).toBeGreaterThan(45);
    expect(new Set(repeated.map((body) => JSON.stringify(body)))).toEqual(
      new Set([JSON.stringify({ ...ORDER, asset: "SOL", explain: false })]),
    );
    expect(answerJson).toHaveBeenCalledTimes(repeated.length);

    vi.advanceTimersByTime(61_000);
    expect(vi.getTimerCount()).toBe(0);
    ask(ORDER);
    forgetAnswers();
    vi.advanceTimersByTime(2 * PERIOD_MS);
    expect(bodiesAsked()).toContainEqual(ORDER);
  });

  it("repeats nothing between orders that come faster, or before there is any", async () => {
    await warmed();
    vi.advanceTimersByTime(1_000);
    expect(handleValidate).not.toHaveBeenCalled();

    for (let i = 0; i < 100; i++) {
      ask(ORDER);
      vi.advanceTimersByTime(PERIOD_MS - 1);
    }
    expect(handleValidate).toHaveBeenCalledTimes(100);
  });

  it("repeats no order that was refused, or had to wait for the exchange", async () => {
    const deps = await warmed();
    ask({ ...ORDER, size: -1 });
    const cold = vi.spyOn(deps.wallets, "peek").mockReturnValueOnce(undefined);
    ask(ORDER);
    cold.mockRestore();
    forgetAnswers();
    vi.advanceTimersByTime(1_000);
    expect(handleValidate).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("repeats an order however deeply what is ignored in it is nested", async () => {
    const error = vi.spyOn(logger, "error");
    const nested: unknown = JSON.parse(`${"[".repeat(NESTED_DEEPLY)}${"]".repeat(NESTED_DEEPLY)}`);
    await warmed();
    for (const order of [
      { ...ORDER, note: nested },
      { ...ORDER, action: "close", leverage: nested },
    ]) {
      ask(order);
      forgetAnswers();
      vi.advanceTimersByTime(2 * PERIOD_MS);
      expect(bodiesAsked()).not.toHaveLength(0);
    }
    expect(error).not.toHaveBeenCalled();
  });

  it("counts no use of a wallet, and asks for none", async () => {
    const { wallets } = await warmed();
    ask(ORDER);
    const calls = (["peek", "load", "isAnswerable"] as const).map((name) => vi.spyOn(wallets, name));
    const known = vi.spyOn(wallets, "lastKnown");
    vi.advanceTimersByTime(1_000);
    expect(known).toHaveBeenCalled();
    for (const call of calls) expect(call).not.toHaveBeenCalled();

    // Forgotten meanwhile.
    known.mockReturnValue(null);
    vi.advanceTimersByTime(1_000);
    for (const call of calls) expect(call).not.toHaveBeenCalled();
  });

  it("takes a twentieth of the thread at most, whatever an answer costs", async () => {
    await warmed(undefined, (deps) => ({
      ...deps,
      scenarios: () => {
        vi.advanceTimersByTime(4);
        return deps.scenarios();
      },
    }));
    ask(ORDER);
    forgetAnswers();
    const fromMs = performance.now();
    vi.advanceTimersByTime(2_000);
    const repeated = vi.mocked(handleValidate).mock.calls.length;
    const tookMs = 4 * repeated;
    expect(repeated).toBeGreaterThan(10);
    expect(tookMs).toBeLessThanOrEqual((performance.now() - fromMs) / 20 + 4);
  });

  it("ends when it is told to, and at a failure, which it logs once", async () => {
    const error = vi.spyOn(logger, "error");
    let isBroken = false;
    const cause = new Error("a defect");
    await warmed(undefined, (deps) => ({
      ...deps,
      scenarios: () => {
        if (isBroken) throw cause;
        return deps.scenarios();
      },
    }));
    ask(ORDER);
    isBroken = true;
    vi.advanceTimersByTime(1_000);
    isBroken = false;
    ask(ORDER);
    expect(vi.getTimerCount()).toBe(0);
    expect(error.mock.calls).toEqual([[{ event: "warming.failed", err: cause }, expect.any(String)]]);

    await warmed();
    ask(ORDER);
    expect(vi.getTimerCount()).toBe(1);
    warming.end();
    expect(vi.getTimerCount()).toBe(0);
    await warmed(0);
    ask(ORDER);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("changes no answer", async () => {
    const orders = fc.record({
      asset: fc.constantFrom(BTC, ETH, SOL),
      action: fc.constantFrom("long", "short", "close"),
      size: fc.integer({ min: 10, max: 5_000_000 }),
      leverage: fc.integer({ min: 1, max: 10 }),
    });
    const sequence = fc.array(fc.tuple(orders, fc.nat({ max: 4 })), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(sequence, async (asked) => {
        await warmed();
        const plain = tradeAnswers(await readyDeps()).validate;
        for (const [order, periods] of asked) {
          const body = { ...order, wallet: WALLET };
          expect(textOf(validate, body)).toEqual(textOf(plain, body));
          vi.advanceTimersByTime(periods * PERIOD_MS);
        }
        warming.end();
      }),
      { numRuns: 40 },
    );
  });
});

/** The answers of a gateway whose wallet was read, with a warming of its own. */
async function warmed(
  periodMs = PERIOD_MS,
  changed: (deps: AssessmentDeps) => AssessmentDeps = (deps) => deps,
): Promise<AssessmentDeps> {
  const deps = changed(await readyDeps());
  warming = new CacheWarming(deps, periodMs, logger);
  ({ validate } = warming.after(tradeAnswers(deps)));
  return deps;
}

async function readyDeps(): Promise<AssessmentDeps> {
  const deps = handlerDeps({ account: walletState() });
  await deps.wallets.load(WALLET);
  return deps;
}

function ask(body: unknown): void {
  void validate({ ...unheardRequest(ORDER), body });
}

function textOf(answer: TradeAnswers["validate"], body: unknown): unknown {
  const result = answer(unheardRequest(body));
  if (result instanceof Promise) throw new Error("the wallet is known");
  return result.ok ? Buffer.from(result.value.json()).toString() : result.error;
}

function bodiesAsked(): readonly unknown[] {
  return vi.mocked(handleValidate).mock.calls.map(([body]) => body);
}

function forgetAnswers(): void {
  vi.mocked(handleValidate).mockClear();
  vi.mocked(answerJson).mockClear();
}
