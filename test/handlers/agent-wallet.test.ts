import { describe, expect, it } from "vitest";
import type { WalletState } from "../../src/domain/account.ts";
import { describeRequestError } from "../../src/domain/error-description.ts";
import { handleMonitor } from "../../src/handlers/monitor.ts";
import { handleValidate } from "../../src/handlers/validate.ts";
import { handleValidateBatch } from "../../src/handlers/validate-batch.ts";
import { BTC, ETH, WALLET, walletState } from "../support/builders.ts";
import { handlerDeps } from "../support/handler-deps.ts";
import { readBatch, readValidate } from "../support/read-answer.ts";

const AGENT: WalletState = { ...walletState(0), mode: "agent", isCollateralKnown: false };
const REFUSED = { ok: false, error: { code: "agent_wallet", wallet: WALLET } };
const OPENING = { asset: BTC, action: "long", size: 100 } as const;
const CLOSE = { asset: ETH, action: "close", size: 100 } as const;

const batchOf = (trades: readonly object[], deps = handlerDeps({ account: AGENT })) =>
  handleValidateBatch(
    { wallet: WALLET, trades },
    { requestId: "r", elapsedMs: () => 0, isAbandoned: () => false },
    deps,
  );

/** The address of an API wallet, which an account's owner took for the account's. */
describe("an agent's address", () => {
  it("is refused an order, also when its state is known already", async () => {
    const deps = handlerDeps({ account: AGENT });
    for (let asked = 0; asked < 2; asked++) {
      expect(await handleValidate({ ...OPENING, wallet: WALLET }, "r", deps)).toEqual(REFUSED);
      expect(await batchOf([OPENING, OPENING], deps)).toEqual(REFUSED);
    }
  });

  it("is answered an exit, alone and in a batch, where orders fail alone", async () => {
    const alone = await handleValidate({ ...CLOSE, wallet: WALLET }, "r", handlerDeps({ account: AGENT }));
    if (!alone.ok) throw new Error(alone.error.code);
    expect(readValidate(alone.value)).toMatchObject({ recommendation: "proceed" });

    const together = await batchOf([OPENING, CLOSE]);
    if (!together.ok) throw new Error(together.error.code);
    const [opening, close] = readBatch(together.value);
    expect(opening).toMatchObject({ meta: { error_code: "validation_error" } });
    expect(close).toMatchObject({ recommendation: "proceed" });
    expect(close!.flags).toContain("collateral_unknown");
  });

  it("is not monitored, and nobody is alerted of it", async () => {
    const deps = {
      ...handlerDeps({ account: AGENT }),
      onMonitored: () => {
        throw new Error("monitored");
      },
    };
    expect(await handleMonitor(WALLET, deps)).toEqual(REFUSED);
  });

  it("is told what to send instead", () => {
    expect(describeRequestError({ code: "agent_wallet", wallet: WALLET })).toEqual({
      error: "validation_error",
      detail: `wallet ${WALLET} is an agent (API) wallet, which holds nothing: send the address of the account it signs for`,
    });
  });
});
