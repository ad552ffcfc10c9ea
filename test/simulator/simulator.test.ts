import { afterEach, expect, it, vi } from "vitest";
import { HOUR_MS } from "../../src/domain/bar.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { FrameClient, readInfo } from "./support/manual-exchange.ts";

afterEach(() => {
  vi.useRealTimers();
});

it("goes on while the machine's clock is set back", async () => {
  const exchange = await startSimulator({
    port: 0,
    host: "127.0.0.1",
    seed: 7,
    speedFactor: 1,
    assetCount: 1,
    historyHours: 48,
    control: false,
  });
  const { time: beforeMs } = await readInfo<{ time: number }>(exchange, { type: "exchangeStatus" });
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - HOUR_MS });
  const client = await FrameClient.open(exchange.wsUrl);
  client.subscribe({ type: "l2Book", coin: "BTC", fast: true });

  const later = await client.next(
    (frame) => frame.channel === "l2Book" && frame.data.time > beforeMs + 1_000,
  );

  expect(later.channel).toBe("l2Book");
  await exchange.stop();
});
