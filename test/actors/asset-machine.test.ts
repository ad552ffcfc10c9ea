import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NO_BARS } from "../../src/domain/bar-columns.ts";
import { type Actor, createActor } from "xstate";
import { assetMachine, type AssetMachineEvent } from "../../src/actors/asset-machine.ts";
import { assetContext, assetListing, BTC, evenBook, NOW_MS } from "../support/builders.ts";

// Mutants killed by hand: live without models; feed.lost not forgetting the frame; a one-sided book counted as frame;
// stale -> live without isFresh; relisting keeping the flags; delisted listing entering listed.

const listing = assetListing();
const context = assetContext();
const EVENTS = {
  listed: { type: "asset.listed", ticker: BTC, listing, context },
  listedDelisted: { type: "asset.listed", ticker: BTC, listing: assetListing({ isDelisted: true }), context },
  delisted: { type: "asset.delisted", ticker: BTC, listing: assetListing({ isDelisted: true }) },
  oldHistory: {
    type: "history.loaded",
    ticker: BTC,
    bars: NO_BARS,
    settlements: [],
    reachesNow: false,
    isWhole: false,
  },
  history: {
    type: "history.loaded",
    ticker: BTC,
    bars: NO_BARS,
    settlements: [],
    reachesNow: true,
    isWhole: true,
  },
  models: { type: "models.built" },
  book: { type: "book.updated", ticker: BTC, book: evenBook(100), arrivedAtMs: NOW_MS, isWhole: true },
  emptyBook: { type: "book.updated", ticker: BTC, book: null, arrivedAtMs: NOW_MS, isWhole: true },
  lost: { type: "feed.lost", ticker: BTC },
  aged: { type: "market.aged" },
} as const satisfies Record<string, AssetMachineEvent>;
type Step = keyof typeof EVENTS;

const WARM: readonly Step[] = ["listed", "history", "models", "book"];

describe("assetMachine", () => {
  it.each<[readonly Step[], string]>([
    [[], "listed"],
    [["listed"], "listed"],
    [["listed", "oldHistory"], "listed"],
    [["listed", "history"], "warming"],
    [["listed", "history", "models"], "warming"],
    [["listed", "history", "book"], "warming"],
    [["listed", "history", "models", "emptyBook"], "warming"],
    [WARM, "live"],
    [["listed", "book", "history", "models"], "live"],
    [["listed", "history", "models", "book", "lost"], "stale"],
    [[...WARM, "lost"], "stale"],
    [[...WARM, "lost", "emptyBook"], "stale"],
    [[...WARM, "lost", "book"], "live"],
    [[...WARM, "delisted"], "delisted"],
    [[...WARM, "delisted", "book"], "delisted"],
    [[...WARM, "delisted", "listed"], "listed"],
    [[...WARM, "delisted", "listed", "book"], "listed"],
    [[...WARM, "listed", "history"], "warming"],
    [["listedDelisted"], "delisted"],
  ])("%j leads to %s", (steps, expected) => {
    const actor = started(() => true);

    for (const step of steps) actor.send(EVENTS[step]);

    expect(actor.getSnapshot().value).toBe(expected);
  });

  it("is stale from the age limit until its numbers are young again", () => {
    let isFresh = true;
    const actor = started(() => isFresh);
    for (const step of WARM) actor.send(EVENTS[step]);

    isFresh = false;
    actor.send(EVENTS.aged);
    actor.send(EVENTS.book);
    expect(actor.getSnapshot().value).toBe("stale");

    isFresh = true;
    actor.send(EVENTS.book);
    expect(actor.getSnapshot().value).toBe("live");
  });

  it("is live only with history, models and a frame since the last loss, however the facts come", () => {
    const commands = fc.commands(
      (Object.keys(EVENTS) as Step[])
        .filter((step) => step !== "aged")
        .map((step) => fc.constant(new Sent(step))),
      { maxCommands: 60, size: "max" },
    );
    fc.assert(
      fc.property(commands, (sequence) => {
        fc.modelRun(() => ({ model: { ...COLD }, real: started(() => true) }), sequence);
      }),
    );
  });
});

/** The lifecycle said once more as three facts, slowly. */
interface Model {
  isDelisted: boolean;
  hasHistory: boolean;
  hasModels: boolean;
  hasFrame: boolean;
  wasLive: boolean;
}

const COLD: Model = {
  isDelisted: false,
  hasHistory: false,
  hasModels: false,
  hasFrame: false,
  wasLive: false,
};

class Sent implements fc.Command<Model, Actor<typeof assetMachine>> {
  readonly step: Step;

  constructor(step: Step) {
    this.step = step;
  }

  check(): boolean {
    return true;
  }

  run(model: Model, real: Actor<typeof assetMachine>): void {
    real.send(EVENTS[this.step]);

    if (this.step === "listed") Object.assign(model, COLD);
    if (this.step === "listedDelisted" || this.step === "delisted") model.isDelisted = true;
    if (this.step === "history" && !model.isDelisted) model.hasHistory = true;
    if (this.step === "models") model.hasModels = true;
    if (this.step === "book") model.hasFrame = true;
    if (this.step === "lost") model.hasFrame = false;
    const isLive = model.hasHistory && model.hasModels && model.hasFrame;
    model.wasLive ||= isLive;
    const warm = model.wasLive ? "stale" : model.hasHistory ? "warming" : "listed";
    const expected = model.isDelisted ? "delisted" : isLive ? "live" : warm;
    expect(real.getSnapshot().value).toBe(expected);
  }

  toString(): string {
    return this.step;
  }
}

function started(isFresh: () => boolean): Actor<typeof assetMachine> {
  return createActor(assetMachine.provide({ guards: { isFresh } })).start();
}
