import { describe, expect, it, vi } from "vitest";
import { CatchUp } from "../../src/engine/catch-up.ts";
import type { AssetCounts, Readiness } from "../../src/snapshot/engine-status.ts";

const MINUTE_MS = 60_000;

function statusOf(readiness: Readiness, warming: number): { readiness: Readiness; assets: AssetCounts } {
  return {
    readiness,
    assets: { listed: 3, warming, live: 3 - warming, stale: 0, delisted: 0, withoutModel: 0, closeOnly: 0 },
  };
}

describe("CatchUp", () => {
  it("says once that no asset of a ready market is warming up any more", () => {
    const onCaughtUp = vi.fn();
    const catchUp = new CatchUp({ nowMs: () => 0 }, onCaughtUp);

    // Nothing is warming up before the first asset is known.
    catchUp.note(statusOf("starting", 0));
    catchUp.note(statusOf("ready", 1));
    expect(onCaughtUp).not.toHaveBeenCalled();
    catchUp.note(statusOf("degraded", 0));
    catchUp.note(statusOf("ready", 2));
    catchUp.note(statusOf("ready", 0));

    expect(onCaughtUp).toHaveBeenCalledOnce();
  });

  it("does not wait for an asset that never becomes live", () => {
    let nowMs = MINUTE_MS;
    const onCaughtUp = vi.fn();
    const catchUp = new CatchUp({ nowMs: () => nowMs }, onCaughtUp);

    for (let minute = 0; minute < 5; minute++) {
      catchUp.note(statusOf("ready", 1));
      nowMs += MINUTE_MS;
    }
    expect(onCaughtUp).not.toHaveBeenCalled();
    catchUp.note(statusOf("starting", 1));

    expect(onCaughtUp).toHaveBeenCalledOnce();
  });
});
