import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Position, WalletState } from "../../src/domain/account.ts";
import type { AssessmentDeps } from "../../src/handlers/trade-assessment.ts";
import { handleValidate } from "../../src/handlers/validate.ts";
import { AnswerMemory, ORDERS_REMEMBERED } from "../../src/response/answer-memory.ts";
import { answerJson } from "../../src/response/json-text.ts";
import type { AnsweredTrade } from "../../src/response/validate-body.ts";
import type { AssetSnapshot } from "../../src/snapshot/asset-snapshot.ts";
import type { WalletReader } from "../../src/snapshot/wallet-store.ts";
import { BTC, ETH, NOW_MS, position, WALLET, walletState } from "../support/builders.ts";
import { handlerDeps, LIVE_VIEWS } from "../support/handler-deps.ts";
import { assessInput, SOL, TEST_SCENARIOS } from "../support/market.ts";

/**
 * Mutants tried by hand, each killed here: the asset, the account, another position's asset, the scenarios, one of the
 * two flags of age, the action, the size, the margin mode or one of the two wishes left out of what is
 * compared; the latency or the id kept, too; nothing kept, or all from the first time; the oldest not forgotten; an order
 * that takes the place of another with its answer.
 */
interface Order {
  readonly asset: string;
  readonly action: string;
  readonly size: number;
  readonly leverage: number | undefined;
  readonly mode: string;
  readonly monte_carlo: boolean;
  readonly explain: boolean;
}

type Change =
  | { readonly type: "market"; readonly ticker: string; readonly gainFraction: number }
  | { readonly type: "account"; readonly account: number }
  | { readonly type: "age"; readonly nowMs: number }
  | { readonly type: "walletAge"; readonly isStale: boolean }
  | { readonly type: "scenarios"; readonly isDrawn: boolean };
type Step = Change | { readonly type: "ask"; readonly order: Order; readonly times: number };

const ACCOUNTS: readonly WalletState[] = [
  walletState(20_000),
  walletState(5_000),
  walletState(20_000, [held({ ticker: BTC, sizeBase: 0.3 })]),
  walletState(20_000, [held({ ticker: ETH, sizeBase: -4 }), held({ ticker: SOL, sizeBase: 40 })]),
];

const order: fc.Arbitrary<Order> = fc.record({
  asset: fc.constantFrom("BTC", "ETH"),
  action: fc.constantFrom("long", "long", "short", "close"),
  // Two that one number for the whole order does not tell apart, nor a close and an order without a leverage.
  size: fc.constantFrom(2_000, 2_000.000_000_01, 3_000),
  leverage: fc.constantFrom(undefined, 5, 7),
  mode: fc.constantFrom("cross", "cross", "isolated"),
  monte_carlo: fc.constantFrom(false, false, true),
  explain: fc.constantFrom(false, false, false, true),
});
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    type: fc.constant("market" as const),
    ticker: fc.constantFrom(BTC, ETH, SOL),
    gainFraction: fc.constantFrom(-0.004, 0.003),
  }),
  fc.record({ type: fc.constant("account" as const), account: fc.nat({ max: ACCOUNTS.length - 1 }) }),
  fc.record({ type: fc.constant("age" as const), nowMs: fc.constantFrom(NOW_MS, NOW_MS + 30_000) }),
  fc.record({ type: fc.constant("walletAge" as const), isStale: fc.boolean() }),
  fc.record({ type: fc.constant("scenarios" as const), isDrawn: fc.boolean() }),
);
const ask = fc.record({ type: fc.constant("ask" as const), order, times: fc.integer({ min: 1, max: 3 }) });
/** Orders of one world: few enough to be met again before and after each change. */
const steps: fc.Arbitrary<readonly Step[]> = fc.array(order, { minLength: 2, maxLength: 4 }).chain((orders) =>
  fc.array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: ask.map((step) => ({ ...step, order: orders[step.times % orders.length]! })),
      },
      { weight: 1, arbitrary: ask },
      { weight: 2, arbitrary: change },
    ),
    { minLength: 4, maxLength: 24, size: "max" },
  ),
);

describe("AnswerMemory", () => {
  it("changes no byte of an answer, whatever was asked before and whatever has changed since", () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const world = new World();
        const memory = new AnswerMemory();
        let asked = 0;
        for (const step of taken) {
          if (step.type !== "ask") {
            world.change(step);
            continue;
          }
          for (let i = 0; i < step.times; i++) {
            const call = { id: `id-${asked}`, latencyMs: 0.125 + asked++ };
            expect(world.textOf(step.order, memory, call)).toBe(world.textOf(step.order, null, call));
          }
        }
      }),
      { numRuns: 250 },
    );
  });

  it("gives the answer that was given, from the third time on", () => {
    const [world, memory] = [new World(), new AnswerMemory()];
    const [first, second, third, fourth] = Array.from({ length: 4 }, () => world.answered(ORDER, memory));

    expect(second!.assessment).not.toBe(first!.assessment);
    expect(third!.assessment).toBe(second!.assessment);
    expect(fourth!.assessment).toBe(second!.assessment);
    expect(world.answered({ ...ORDER, size: 2_001 }, memory).assessment).not.toBe(second!.assessment);
    world.change({ type: "market", ticker: BTC, gainFraction: 0.001 });
    expect(world.answered(ORDER, memory).assessment).not.toBe(second!.assessment);
  });

  it("looks at the assets of all positions", () => {
    const [world, memory] = [new World(), new AnswerMemory()];
    world.change({ type: "account", account: 3 });
    const known = [1, 2, 3].map(() => world.answered(ORDER, memory).assessment)[2];

    expect(world.answered(ORDER, memory).assessment).toBe(known);
    world.change({ type: "market", ticker: SOL, gainFraction: 0.001 });
    expect(world.answered(ORDER, memory).assessment).not.toBe(known);
  });

  it("keeps nothing of an account that is not known", () => {
    const [memory, input] = [new AnswerMemory(), assessInput({ account: null })];

    expect([1, 2, 3].map(() => memory.find(input))).toEqual([null, null, null]);
  });

  it("remembers so many orders, and forgets the oldest for the next", () => {
    const [world, memory] = [new World(), new AnswerMemory()];
    const isKept = (size: number): boolean => {
      const { repeated } = world.answered({ ...ORDER, size }, memory);
      return repeated !== null && repeated.kept !== null;
    };
    const sizes = Array.from({ length: ORDERS_REMEMBERED }, (_, i) => 1_000 + i);
    expect(sizes.map(isKept)).toEqual(sizes.map(() => false));
    expect(sizes.map(isKept)).toEqual(sizes.map(() => true));

    expect([isKept(5_000), isKept(5_000), isKept(5_000)]).toEqual([false, true, true]);
    expect(sizes.slice(1).map(isKept)).toEqual(sizes.slice(1).map(() => true));
    expect(isKept(sizes[0]!)).toBe(false);
  });

  it("gives an order that is answered late no place of another", () => {
    const [world, memory] = [new World(), new AnswerMemory()];
    world.answered(ORDER, memory);
    const late = world.validated(ORDER, memory, "late");
    for (let i = 0; i < ORDERS_REMEMBERED; i++) world.answered({ ...ORDER, size: 1_000 + i }, memory);
    answerJson(late, () => 0);

    // The last took its place.
    const other = { ...ORDER, size: 1_000 + ORDERS_REMEMBERED - 1 };
    const call = { id: "id", latencyMs: 1 };
    expect(world.textOf(other, memory, call)).toBe(world.textOf(other, null, call));
    expect(world.textOf(other, memory, call)).toBe(world.textOf(other, null, call));
  });
});

const ORDER: Order = {
  ...{ asset: "BTC", action: "long", size: 2_000, leverage: 5, mode: "cross" },
  ...{ monte_carlo: false, explain: false },
};

function held(changes: Partial<Position>): Position {
  return position({ marginMode: "cross", leverage: 5, ...changes });
}

/** What a gateway reads, which changes as it does in a service: by states that replace others. */
class World {
  readonly #deps: AssessmentDeps = handlerDeps({ account: walletState() });
  #account = ACCOUNTS[0]!;
  #isWalletStale = false;
  #nowMs = NOW_MS;
  #scenarios: typeof TEST_SCENARIOS | null = TEST_SCENARIOS;

  change(step: Change): void {
    if (step.type === "account") this.#account = ACCOUNTS[step.account]!;
    else if (step.type === "walletAge") this.#isWalletStale = step.isStale;
    else if (step.type === "age") this.#nowMs = step.nowMs;
    else if (step.type === "scenarios") this.#scenarios = step.isDrawn ? TEST_SCENARIOS : null;
    else this.#move(step.ticker, step.gainFraction);
  }

  textOf(order: Order, memory: AnswerMemory | null, call: { id: string; latencyMs: number }): string {
    const text = answerJson(this.validated(order, memory, call.id), () => call.latencyMs);
    return Buffer.from(text).toString();
  }

  answered(order: Order, memory: AnswerMemory): AnsweredTrade {
    const trade = this.validated(order, memory, "id");
    answerJson(trade, () => 0);
    return trade;
  }

  validated(order: Order, answers: AnswerMemory | null, id: string): AnsweredTrade {
    const wallets = readerOf(this.#account, this.#isWalletStale);
    const clock = { nowMs: () => this.#nowMs };
    const deps = { ...this.#deps, wallets, clock, answers, scenarios: () => this.#scenarios };
    const result = handleValidate({ ...order, wallet: WALLET }, id, deps);
    if (result instanceof Promise || !result.ok)
      throw new Error(`the order is not answered: ${JSON.stringify(result)}`);
    return result.value;
  }

  #move(ticker: string, gainFraction: number): void {
    const snapshot = this.#deps.snapshots.assetOf(ticker)!;
    const markPrice = snapshot.context.markPrice * (1 + gainFraction);
    const moved: AssetSnapshot = {
      ...snapshot,
      sequence: snapshot.sequence + LIVE_VIEWS.length,
      context: { ...snapshot.context, markPrice },
    };
    this.#deps.snapshots.accept({ type: "asset.published", snapshot: moved });
  }
}

function readerOf(state: WalletState, isStale: boolean): WalletReader {
  const reading = { state, ageMs: 0, isStale };
  return {
    peek: () => reading,
    load: () => Promise.reject(new Error("not asked")),
    lastKnown: () => reading,
    isAnswerable: () => true,
  };
}
