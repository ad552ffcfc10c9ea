import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SlicedWork } from "../../src/handlers/sliced-work.ts";
import type { AssessmentDeps } from "../../src/handlers/trade-assessment.ts";
import { handleValidate } from "../../src/handlers/validate.ts";
import { handleValidateBatch } from "../../src/handlers/validate-batch.ts";
import { magnitude } from "../support/arbitraries.ts";
import { BTC, ETH, position, WALLET, walletState } from "../support/builders.ts";
import { handlerDeps } from "../support/handler-deps.ts";
import { SOL } from "../support/market.ts";
import { readBatch } from "../support/read-answer.ts";

// Mutants killed by hand: a slice that does all; one that says too early that nothing is left; all as long as the first,
// or as the later ones; the scenarios read by each trade; work that gives up its turn; work behind one that threw left
// waiting; a batch evaluated for ever, or for nobody.

const account = walletState(50_000, [position({ ticker: ETH, sizeBase: 2, entryPrice: 4_000, leverage: 5 })]);
const trade = fc.record({
  asset: fc.constantFrom<string[]>(BTC, ETH, SOL),
  action: fc.constantFrom("long", "short", "close"),
  size: magnitude(10, 1e6),
  leverage: fc.integer({ min: 1, max: 20 }),
});
const trades = fc.array(trade, { minLength: 1, maxLength: 12 });

describe("a batch that takes long", () => {
  it("is answered as one that is done at once", async () => {
    await fc.assert(
      fc.asyncProperty(trades, async (asked) => {
        const atOnce = await resultsOf(asked, () => 0, handlerDeps({ account }));

        expect(await resultsOf(asked, passingMs(), handlerDeps({ account }))).toEqual(atOnce);
      }),
      { numRuns: 50 },
    );
  });

  it("lets other requests be answered between its trades", async () => {
    const deps = await withWallet(handlerDeps({ account }));
    const asked = Array.from({ length: 20 }, () => ({ asset: BTC, action: "long", size: 100, leverage: 2 }));
    const order: string[] = [];

    const late = handleValidateBatch({ wallet: WALLET, trades: asked }, call(passingMs()), deps);
    expect(late).toBeInstanceOf(Promise);
    const short = handleValidateBatch(
      { wallet: WALLET, trades: asked.slice(0, 2) },
      call(() => 0),
      deps,
    );
    expect(short).not.toBeInstanceOf(Promise);
    const single = handleValidate({ ...asked[0], wallet: WALLET }, "id", deps);
    expect(single).not.toBeInstanceOf(Promise);
    const turns = (async () => {
      for (let turn = 0; turn < 3; turn++) {
        await new Promise(setImmediate);
        order.push(`turn ${turn}`);
      }
    })();
    await Promise.all([turns, Promise.resolve(late).then(() => order.push("batch"))]);

    expect(order).toEqual(["turn 0", "turn 1", "turn 2", "batch"]);
  });

  it("is evaluated for 2 ms at once and for half a millisecond at every turn from then on", async () => {
    const deps = await withWallet(handlerDeps({ account }));
    const asked = Array.from({ length: 15 }, () => ({ asset: BTC, action: "long", size: 100, leverage: 2 }));
    // The clock is looked at when a slice begins and twice a trade, so that a trade takes half a millisecond.
    const clock = passingMs();
    let trades = 0;
    const elapsedMs = (): number => {
      const nowMs = clock() / 4;
      trades = Math.floor(nowMs / 0.5);
      return nowMs;
    };
    const done: number[] = [];
    let isOver = false;

    const late = Promise.resolve(
      handleValidateBatch({ wallet: WALLET, trades: asked }, call(elapsedMs), deps),
    );
    void late.then(() => (isOver = true));
    while (!isOver) {
      done.push(trades);
      await new Promise(setImmediate);
    }

    expect(done).toEqual([5, 7, 10, 12, 15]);
  });

  it("is given up after 10 s, but for its first slice, and when nobody waits for it", async () => {
    const deps = await withWallet(handlerDeps({ account }));
    const asked = Array.from({ length: 6 }, () => ({ asset: BTC, action: "long", size: 100, leverage: 2 }));
    const batch = { wallet: WALLET, trades: asked };
    const clock = passingMs();
    let looks = 0;

    // Twice in 10 s is time for the first slice and the next.
    const late = await handleValidateBatch(
      batch,
      call(() => clock() * 2_500),
      deps,
    );
    const short = await handleValidateBatch(
      { ...batch, trades: asked.slice(0, 2) },
      call(() => 20_000),
      deps,
    );
    const left = await handleValidateBatch(
      batch,
      call(passingMs(), () => ++looks > 2),
      deps,
    );

    expect(late).toEqual({ ok: false, error: { code: "timeout", detail: expect.stringContaining("10 s") } });
    expect(short).toMatchObject({ ok: true });
    expect(left).toMatchObject({ ok: false });
    expect(looks).toBe(3);
  });

  it("sees each asset as it first saw it, whatever is published meanwhile", async () => {
    const deps = handlerDeps({ account });
    const asked = Array.from({ length: 6 }, () => ({ asset: SOL, action: "long", size: 1_000, leverage: 2 }));
    const atOnce = await resultsOf(asked, () => 0, deps);
    const held = deps.snapshots.assetOf(ETH)!;
    const context = { ...held.context, markPrice: held.context.markPrice / 2 };
    const publish = (): void =>
      deps.snapshots.accept({ type: "asset.published", snapshot: { ...held, context } });

    expect(await resultsOf(asked, passingMs(), deps, publish)).toEqual(atOnce);
    expect(await resultsOf(asked, passingMs(), deps)).not.toEqual(atOnce);
  });

  it("sees one draw of scenarios, whatever is drawn meanwhile", async () => {
    const deps = handlerDeps({ account });
    const drawn = deps.scenarios();
    let reads = 0;
    const scenarios = () => (reads++ === 0 ? drawn : null);
    const asked = Array.from({ length: 6 }, () => ({ asset: SOL, action: "long", size: 1_000, leverage: 2 }));

    expect(await resultsOf(asked, passingMs(), { ...deps, scenarios })).toEqual(
      await resultsOf(asked, () => 0, deps),
    );
    expect(reads).toBe(1);
  });
});

describe("sliced work", () => {
  it("ends what began first, and goes on behind work that failed", async () => {
    const work = new SlicedWork();
    const done: string[] = [];
    const counted = (name: string, slices: number) => {
      let left = slices;
      return () => {
        done.push(`${name}${slices - left}`);
        if (name === "b" && left === 1) throw new Error("b failed");
        return --left === 0;
      };
    };

    const a = work.run(counted("a", 3));
    const b = work.run(counted("b", 2));
    const c = work.run(counted("c", 4));

    expect(work.run(counted("d", 1))).toBeUndefined();
    await expect(b).rejects.toThrow("b failed");
    await Promise.all([a, c]);
    expect(done).toEqual(["a0", "b0", "c0", "d0", "a1", "a2", "b1", "c1", "c2", "c3"]);
    expect(work.run(counted("e", 1))).toBeUndefined();
    await work.run(counted("f", 2));
    expect(done.slice(-3)).toEqual(["e0", "f0", "f1"]);
  });
});

/** A clock that has moved by a millisecond whenever it is looked at. */
function passingMs(): () => number {
  let nowMs = 0;
  return () => nowMs++;
}

function call(elapsedMs: () => number, isAbandoned = () => false) {
  return { requestId: "one-for-all", elapsedMs, isAbandoned };
}

async function withWallet(deps: AssessmentDeps): Promise<AssessmentDeps> {
  await deps.wallets.load(WALLET);
  return deps;
}

/** What is answered, without the time that it took. */
async function resultsOf(
  asked: readonly unknown[],
  elapsedMs: () => number,
  deps: AssessmentDeps,
  meanwhile = (): void => undefined,
): Promise<readonly unknown[]> {
  const body: unknown = structuredClone({ wallet: WALLET, trades: asked });
  const begun = handleValidateBatch(body, call(elapsedMs), await withWallet(deps));
  meanwhile();
  const answer = await begun;
  if (!answer.ok) throw new Error(JSON.stringify(answer.error));
  return readBatch(answer.value).map((entry) => ({ ...entry, meta: { ...entry.meta, latency_ms: 0 } }));
}
