import { afterEach, describe, expect, it, vi } from "vitest";
import { candleAnswer } from "../../../src/exchange/replay/replay-rows.ts";
import { emptyAccountAnswer } from "../../../src/exchange/replay/recorded-wallets.ts";
import { ReplayTransport, START_AFTER_MS } from "../../../src/exchange/replay/replay-transport.ts";
import type { ReplaySource } from "../../../src/exchange/replay/replay-source.ts";
import { ManualTimers } from "../../support/manual-timers.ts";

const START_MS = 1_700_000_000_000;
const CANDLE = { channel: "candle", data: { s: "BTC", i: "1h", t: 1 } };
const TOUCH = { channel: "bbo", data: { coin: "BTC", time: START_MS + 1_000 } };
const CANDLES = { type: "candle", coin: "BTC", interval: "1h" };
const TOUCHES = { type: "bbo", coin: "BTC" };

afterEach(() => vi.useRealTimers());

describe("a socket of a replay", () => {
  it("is answered its pings and subscriptions, and brought what it subscribed to until it unsubscribes", async () => {
    const { timers, socket, heard } = open();
    await timers.advance(0);
    socket.send(JSON.stringify({ method: "ping" }));
    socket.send(JSON.stringify({ method: "subscribe", subscription: CANDLES }));
    await timers.advance(START_AFTER_MS);
    expect(heard.splice(0)).toEqual([
      "open",
      { channel: "pong" },
      { channel: "subscriptionResponse", data: { method: "subscribe", subscription: CANDLES } },
      CANDLE,
    ]);

    socket.send(JSON.stringify({ method: "unsubscribe", subscription: CANDLES }));
    await timers.advance(10_000);

    expect(heard).toEqual([
      { channel: "subscriptionResponse", data: { method: "unsubscribe", subscription: CANDLES } },
    ]);
  });

  it("begins the playing when no more subscriptions come", async () => {
    const { timers, socket, heard, transport } = open();
    const subscribe = (subscription: object): void =>
      socket.send(JSON.stringify({ method: "subscribe", subscription }));
    subscribe(CANDLES);
    await timers.advance(START_AFTER_MS - 1);
    subscribe(TOUCHES);
    await timers.advance(START_AFTER_MS - 1);
    expect(transport.exchangeTimeMs()).toBe(START_MS);

    await timers.advance(1_001);

    expect(heard).toContainEqual(TOUCH);
  });

  it.each([100, START_AFTER_MS + 500, START_AFTER_MS + 5_000])(
    "leaves no timer behind when the replay is closed after %i ms, for which its thread would wait",
    async (closedAfterMs) => {
      const { timers, socket, transport } = open();
      socket.send(JSON.stringify({ method: "subscribe", subscription: CANDLES }));
      await timers.advance(closedAfterMs);
      expect(timers.waitingCount).toBe(1);

      await transport.close();

      expect(timers.waitingCount).toBe(0);
      await timers.advance(10_000);
      expect(timers.waitingCount).toBe(0);
    },
  );

  it("is told at once what was said last of what it subscribes to later", async () => {
    const { timers, socket, transport, listen } = open();
    socket.send(JSON.stringify({ method: "subscribe", subscription: CANDLES }));
    await timers.advance(START_AFTER_MS + 100);
    const late = listen(transport);

    late.socket.send(JSON.stringify({ method: "subscribe", subscription: CANDLES }));
    await timers.advance(0);

    expect(late.heard.at(-1)).toEqual(CANDLE);
  });

  it.each([3_600_000, -3_600_000])("goes on at its pace when the clock is set by %i ms", async (byMs) => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const { socket, transport } = open("the machine's");
    socket.send(JSON.stringify({ method: "subscribe", subscription: CANDLES }));
    await vi.advanceTimersByTimeAsync(START_AFTER_MS);

    vi.setSystemTime(Date.now() + byMs);

    const anHourMs = 3_600_000;
    expect(Math.abs(transport.exchangeTimeMs() - START_MS)).toBeLessThan(anHourMs / 2);
    await transport.close();
  });

  it("ends once when it is ended, and hears nothing more", async () => {
    const { timers, socket, heard } = open();
    socket.send(JSON.stringify({ method: "subscribe", subscription: CANDLES }));
    for (let i = 0; i < 2; i++) socket.terminate();
    await timers.advance(10_000);

    expect(heard).toEqual(["terminated"]);
  });
});

describe("what is answered of a recording", () => {
  it("are the candles of the asked hours, both ends included", () => {
    const rows = [1, 2, 3, 4].map((t) => ({ t }));

    expect(candleAnswer(rows, { type: "candleSnapshot", req: { startTime: 2, endTime: 3 } })).toEqual([
      { t: 2 },
      { t: 3 },
    ]);
  });

  it("is an account without balances for whom nothing was recorded", () => {
    expect(emptyAccountAnswer({ type: "spotClearinghouseState" }, 5)).toEqual({ balances: [] });
    expect(emptyAccountAnswer({ type: "userAbstraction" }, 5)).toBe("default");
    expect(emptyAccountAnswer({ type: "meta" }, 5)).toBeUndefined();
  });
});

/** A recording of a candle at its start and a touch a second later, with one socket to it. */
function open(whose: "a test's" | "the machine's" = "a test's") {
  const timers = new ManualTimers();
  const source: ReplaySource = {
    startMs: START_MS,
    async *frames() {
      yield await Promise.resolve({ atMs: START_MS, frame: CANDLE });
      yield { atMs: START_MS + 1_000, frame: TOUCH };
    },
    answer: () => ({ ok: true, value: null }),
  };
  const listen = (transport: ReplayTransport) => {
    const heard: unknown[] = [];
    const socket = transport.openSocket({
      onOpen: () => heard.push("open"),
      onText: (text) => heard.push(JSON.parse(text)),
      onClose: (detail) => heard.push(detail),
    });
    return { socket, heard };
  };
  const transport = new ReplayTransport(source, whose === "a test's" ? { timers } : {});
  return { timers, transport, listen, ...listen(transport) };
}
