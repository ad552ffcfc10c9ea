import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SilenceWatch } from "../../src/process/silence-watch.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => vi.useRealTimers());

it("counts the silence of a thread from its own first word, whatever its predecessor's was", () => {
  const silences: number[] = [];
  const watch = new SilenceWatch(5, (forMs) => silences.push(forMs));
  watch.start();
  watch.heard();
  vi.advanceTimersByTime(4_000);

  watch.forget();
  vi.advanceTimersByTime(60_000);
  expect([silences, watch.isSilent]).toEqual([[], false]);
  watch.heard();
  vi.advanceTimersByTime(4_999);
  expect(silences).toEqual([]);
  vi.advanceTimersByTime(60_000);

  expect([silences, watch.isSilent]).toEqual([[5_000], true]);
  watch.stop();
});
