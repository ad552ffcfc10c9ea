import { describe, expect, it, vi } from "vitest";
import { handleValidateBatch } from "../../src/handlers/validate-batch.ts";
import { BTC, ETH, position, WALLET, walletState } from "../support/builders.ts";
import { handlerDeps } from "../support/handler-deps.ts";
import { SOL } from "../support/market.ts";
import { readBatch } from "../support/read-answer.ts";

// Mutants killed by hand: nothing caught; nobody told.

describe("a defect that one trade of a batch meets", () => {
  const held = position({ ticker: ETH, sizeBase: 2, entryPrice: 3_000, leverage: 5 });
  const order = (asset: string) => ({ asset, action: "long", size: 5_000, leverage: 5 });
  const exit = { asset: ETH, action: "close", size: 1_000 };

  it("is that trade's failure: the others are answered as if it were not there, an exit above all", async () => {
    const told: unknown[] = [];
    const deps = { ...handlerDeps({ account: walletState(50_000, [held]) }), onDefect: told.push.bind(told) };
    await deps.wallets.load(WALLET);
    const cause = new Error("a defect");
    const { snapshots } = deps;
    const assetOf = snapshots.assetOf.bind(snapshots);
    vi.spyOn(snapshots, "assetOf").mockImplementation((name) => {
      if (name === SOL) throw cause;
      return assetOf(name);
    });
    const answerTo = (...trades: readonly unknown[]) => {
      const body: unknown = structuredClone({ wallet: WALLET, trades });
      const call = { requestId: "r-1", elapsedMs: () => 0, isAbandoned: () => false };
      const result = handleValidateBatch(body, call, deps);
      if (result instanceof Promise || !result.ok) throw new Error("the wallet is known");
      return readBatch(result.value);
    };

    const [first, failed, last] = answerTo(order(BTC), order(SOL), exit);
    expect(failed).toMatchObject({
      recommendation: "abort",
      flags: [],
      meta: { asset: SOL, request_id: "r-1", error_code: "internal_error" },
    });
    expect([first, last]).toEqual(answerTo(order(BTC), exit));
    expect(last!.recommendation).toBe("proceed");
    expect(told).toEqual(["r-1", cause]);
  });
});
