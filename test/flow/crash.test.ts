import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ValidateResponse } from "../../src/contracts/generated/types.ts";
import { startService, untilReady, type RunningService } from "../support/running-service.ts";

/** A fifth of the price within two seconds, on the whole program: no number waits for the hour to end. */
describe("a crash inside the hour", () => {
  let service: RunningService;

  beforeAll(async () => {
    service = await startService();
    await untilReady(service, 60_000);
  }, 90_000);

  afterAll(async () => {
    await service.stop();
  });

  it("moves sigma, VaR, both regimes and the score by itself", { timeout: 90_000 }, async () => {
    const calm = await untilAnswer(({ regime, var: tail }) => regime !== null && tail.pct_99_24h !== null);
    // Its own alarm is to speak; a market that is stressed already would prove nothing.
    expect(calm.regime!.state).toBe("normal");

    const started = await fetch(`${service.simulatorUrl}/control/scenario`, {
      method: "POST",
      body: JSON.stringify({ type: "crash", asset: "BTC", magnitude: 0.2, duration_s: 2 }),
    });
    expect(started.status).toBe(200);

    const crashed = await untilAnswer(
      ({ regime, var: tail }) =>
        regime?.state !== "normal" &&
        tail.pct_99_24h! > 1.5 * calm.var.pct_99_24h! &&
        tail.volatility_forecast!.sigma_1h > 1.5 * calm.var.volatility_forecast!.sigma_1h,
    );
    expect(crashed.risk_score).toBeGreaterThan(calm.risk_score);
    expect(crashed.var.volatility_regime).toBe("high");
    expect(crashed.var.es_99_24h!).toBeGreaterThan(crashed.var.pct_99_24h!);
  });

  /** Asks until the answer is of the kind; the test's own limit ends it. */
  async function untilAnswer(isWanted: (answer: ValidateResponse) => boolean): Promise<ValidateResponse> {
    for (;;) {
      const body = { asset: "BTC", action: "long", size: 10_000, leverage: 5, wallet: `0x${"9".repeat(40)}` };
      const response = await service.post("/v1/validate", body);
      if (response.status === 200) {
        const answer = (await response.json()) as ValidateResponse;
        if (isWanted(answer)) return answer;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
});
