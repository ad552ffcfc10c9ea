import { once } from "node:events";
import { MessageChannel } from "node:worker_threads";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AssetState } from "../../src/actors/asset-state.ts";
import type { SheetDay } from "../../src/risk/scenarios/sheet-day.ts";
import { type AssetSnapshot, buildSnapshot, withParts } from "../../src/snapshot/asset-snapshot.ts";
import {
  portChannel,
  receiveSnapshots,
  type SnapshotChannel,
  type SnapshotMessage,
} from "../../src/snapshot/snapshot-channel.ts";
import { SnapshotStore } from "../../src/snapshot/snapshot-store.ts";
import { haveOneHiddenClass } from "../support/hidden-class.ts";
import { assetContext, assetListing, BTC, ETH, evenBook, NOW_MS } from "../support/builders.ts";

// Mutants killed by hand: the first message of an asset sent as a patch; changed parts compared by one field only; the
// receiver not remembering; snapshots not frozen; assets in order of arrival; parts
// merged by a spread.

describe("portChannel", () => {
  it("brings the store at the other end to the same state as a function call would", async () => {
    const changes = fc.array(
      fc.record({
        ticker: fc.constantFrom(BTC, ETH),
        part: fc.constantFrom("context", "book", "none"),
        value: fc.integer({ min: 1, max: 1_000 }),
      }),
      { minLength: 1, maxLength: 30, size: "max" },
    );
    await fc.assert(
      fc.asyncProperty(changes, async (steps) => {
        const { port1, port2 } = new MessageChannel();
        const here = new SnapshotStore();
        const there = new SnapshotStore();
        receiveSnapshots(port2, (message) => there.accept(message));
        const remote = portChannel(port1);
        const local: SnapshotChannel = { publish: (message) => here.accept(message) };
        const states = { [BTC]: stateOf(BTC, 0), [ETH]: stateOf(ETH, 1) };
        steps.forEach(({ ticker, part, value }, sequence) => {
          const state = states[ticker]!;
          if (part === "context") {
            state.apply(
              { type: "context.updated", ticker, context: assetContext({ markPrice: value }) },
              NOW_MS,
            );
          } else if (part === "book") {
            state.apply(
              { type: "book.updated", ticker, book: evenBook(value), arrivedAtMs: NOW_MS, isWhole: true },
              NOW_MS,
            );
          }
          const message: SnapshotMessage = { type: "asset.published", snapshot: snapshotOf(state, sequence) };
          remote.publish(message);
          local.publish(message);
        });
        remote.publish({ type: "status.published", status: STATUS });
        local.publish({ type: "status.published", status: STATUS });

        const closed = once(port2, "close");
        port1.close();
        await closed;

        expect(there.assets()).toEqual(here.assets());
        expect(there.assets().every((snapshot) => Object.isFrozen(snapshot))).toBe(true);
        expect(there.status).toEqual(STATUS);
      }),
      { numRuns: 20 },
    );
  });

  it("takes back a part that is known no longer", async () => {
    const { port1, port2 } = new MessageChannel();
    const there = new SnapshotStore();
    receiveSnapshots(port2, (message) => there.accept(message));
    const channel = portChannel(port1);
    const known = snapshotOf(stateOf(BTC, 0), 1);
    const forgotten = { ...known, sheetRow: null, bookArrivedAtMs: null, sequence: 2 };
    channel.publish({
      type: "asset.published",
      snapshot: { ...known, sheetRow: 3, bookArrivedAtMs: NOW_MS },
    });
    channel.publish({ type: "asset.published", snapshot: forgotten });

    const closed = once(port2, "close");
    port1.close();
    await closed;

    expect(there.assets()).toEqual([forgotten]);
  });

  it("keeps every part that a message does not replace", () => {
    const known = { ...snapshotOf(stateOf(BTC, 0), 1), sheetRow: 3, bookArrivedAtMs: NOW_MS };
    const whole = { ...known, sheetDay: { sigmaRatio: 2 } as SheetDay };

    expect(withParts(whole, {})).toEqual(whole);
    expect(withParts(whole, { sequence: 9 })).toEqual({ ...whole, sequence: 9 });
  });

  it("hands out snapshots of one hidden class, whatever parts came last", async () => {
    const { port1, port2 } = new MessageChannel();
    const there = new SnapshotStore();
    receiveSnapshots(port2, (message) => there.accept(message));
    const channel = portChannel(port1);
    const states = [stateOf(BTC, 0), stateOf(ETH, 1)];
    for (const state of states) channel.publish({ type: "asset.published", snapshot: snapshotOf(state, 1) });
    const [first] = states;
    first!.apply({ type: "context.updated", ticker: BTC, context: assetContext({ markPrice: 5 }) }, NOW_MS);
    channel.publish({ type: "asset.published", snapshot: snapshotOf(first!, 2) });

    const closed = once(port2, "close");
    port1.close();
    await closed;

    const [btc, eth] = there.assets();
    expect(haveOneHiddenClass(btc, eth)).toBe(true);
    there.accept({ type: "run.began", hasBeenReady: false });
    expect(there.assets().every((snapshot) => haveOneHiddenClass(snapshot, btc))).toBe(true);
  });

  it("sends only the parts that were replaced, and passes shared memory instead of copying it", async () => {
    const { port1, port2 } = new MessageChannel();
    const received: unknown[] = [];
    port2.on("message", (message) => received.push(message));
    const channel = portChannel(port1);
    const state = stateOf(BTC, 0);
    channel.publish({ type: "asset.published", snapshot: snapshotOf(state, 1) });
    const context = assetContext({ markPrice: 5 });
    state.apply({ type: "context.updated", ticker: BTC, context }, NOW_MS);
    channel.publish({ type: "asset.published", snapshot: snapshotOf(state, 2) });
    const shared = new Float32Array(new SharedArrayBuffer(8));
    channel.publish({ type: "sheet.published", sheet: { paths: { dayReturns: shared } } as never });

    const closed = once(port2, "close");
    port1.close();
    await closed;

    expect(received).toHaveLength(3);
    expect(Object.keys((received[1] as { changed: object }).changed).sort()).toEqual([
      "context",
      "openInterest",
      "sequence",
    ]);
    const sheet = (received[2] as { sheet: { paths: { dayReturns: Float32Array } } }).sheet;
    shared[0] = 42;
    expect(sheet.paths.dayReturns[0]).toBe(42);
  });
});

describe("SnapshotStore", () => {
  it("hands out one frozen whole value until it is replaced by another", () => {
    const store = new SnapshotStore();
    const state = stateOf(BTC, 0);
    store.accept({ type: "asset.published", snapshot: snapshotOf(state, 1) });

    const first = store.assetOf("BTC");
    state.apply({ type: "context.updated", ticker: BTC, context: assetContext({ markPrice: 7 }) }, NOW_MS);

    expect(store.assetOf("BTC")).toBe(first);
    expect(Object.isFrozen(first)).toBe(true);
    expect(first?.context.markPrice).toBe(100_000);
    store.accept({ type: "asset.published", snapshot: snapshotOf(state, 2) });
    expect(store.assetOf("BTC")?.context.markPrice).toBe(7);
    expect(first?.context.markPrice).toBe(100_000);
  });

  it("lists assets in the universe's order and knows only exact names", () => {
    const store = new SnapshotStore();
    store.accept({ type: "asset.published", snapshot: snapshotOf(stateOf(ETH, 1), 1) });
    store.accept({ type: "asset.published", snapshot: snapshotOf(stateOf(BTC, 0), 1) });

    expect(store.assets().map(({ listing }) => listing.ticker)).toEqual([BTC, ETH]);
    expect(store.assetOf("btc")).toBeUndefined();
    expect([store.sheet, store.status, store.models]).toEqual([null, null, null]);
  });
});

const STATUS = {
  readiness: "ready",
  isFeedConnected: true,
  lastMessageAtMs: NOW_MS,
  publishedAtMs: NOW_MS,
  assets: { listed: 0, warming: 0, live: 2, stale: 0, delisted: 0, withoutModel: 0, closeOnly: 0 },
  counts: { refitsDone: 0, refitsFailed: 0 },
} as const;

function stateOf(ticker: typeof BTC, assetIndex: number): AssetState {
  return new AssetState(assetListing({ ticker, assetIndex }), assetContext());
}

function snapshotOf(state: AssetState, sequence: number): AssetSnapshot {
  return buildSnapshot(state.view(), {
    lifecycle: "live",
    sequence,
    publishedAtMs: NOW_MS,
    bookArrivedAtMs: state.bookArrivedAtMs,
    sheetDay: state.sheetDay,
  });
}
