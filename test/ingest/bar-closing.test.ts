import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Bar, HOUR_MS } from "../../src/domain/bar.ts";
import {
  closeOpenBar,
  interruptOpenBar,
  NO_OPEN_BAR,
  noteFetchedBars,
  type OpenBar,
  updateOpenBar,
} from "../../src/ingest/bar-closing.ts";
import { bar } from "../support/ingest-deps.ts";

// Mutants killed by hand: closing without checking isWhole; not setting isWhole on a newer view; hole by >= instead of
// >; late bars not ignored; noteFetchedBars without maximum.

describe("updateOpenBar", () => {
  it("closes a bar with its last view once the next one opens", () => {
    const first = updateOpenBar(NO_OPEN_BAR, bar(10, 100)).next;
    const second = updateOpenBar(first, bar(10, 101)).next;

    const { closed, missedFromMs } = updateOpenBar(second, bar(11, 102));

    expect(closed).toEqual(bar(10, 101));
    expect(missedFromMs).toBeNull();
  });

  it("asks for the bar that closed while the feed was lost instead of trusting its last view", () => {
    const open = interruptOpenBar(updateOpenBar(NO_OPEN_BAR, bar(10, 100)).next);

    const { closed, missedFromMs } = updateOpenBar(open, bar(11, 102));

    expect(closed).toBeNull();
    expect(missedFromMs).toBe(10 * HOUR_MS);
  });

  it("trusts the bar again when a newer view of it came after the loss: views are cumulative", () => {
    const lost = interruptOpenBar(updateOpenBar(NO_OPEN_BAR, bar(10, 100)).next);
    const seenAgain = updateOpenBar(lost, bar(10, 103)).next;

    expect(updateOpenBar(seenAgain, bar(11, 102)).closed).toEqual(bar(10, 103));
  });

  it("asks for the hours between two bars, the first of them having closed", () => {
    const open = updateOpenBar(NO_OPEN_BAR, bar(10, 100)).next;

    const { closed, missedFromMs } = updateOpenBar(open, bar(14, 102));

    expect(closed).toEqual(bar(10, 100));
    expect(missedFromMs).toBe(11 * HOUR_MS);
  });

  it("tells of missed hours once, however often the open bar is seen before they come", () => {
    const fetched = noteFetchedBars(NO_OPEN_BAR, 8 * HOUR_MS).next;
    const first = updateOpenBar(fetched, bar(10, 100));

    expect(first.missedFromMs).toBe(9 * HOUR_MS);
    expect(updateOpenBar(first.next, bar(10, 101))).toEqual({
      next: { bar: bar(10, 101), lastClosedMs: 8 * HOUR_MS, isWhole: true },
      closed: null,
      missedFromMs: null,
    });
  });

  it("ignores a late view of a bar that the clock has closed", () => {
    const closed = closeOpenBar(updateOpenBar(NO_OPEN_BAR, bar(10, 100)).next).next;

    const late = updateOpenBar(closed, bar(10, 999));

    expect(late).toEqual({ next: closed, closed: null, missedFromMs: null });
  });

  it("ignores a late view of an hour before the open bar's", () => {
    const open = updateOpenBar(NO_OPEN_BAR, bar(11, 100)).next;

    expect(updateOpenBar(open, bar(10, 999))).toEqual({ next: open, closed: null, missedFromMs: null });
  });

  it("closes every bar of an unbroken feed exactly once, in order, whatever the views", () => {
    const views = fc.array(
      fc.record({ step: fc.integer({ min: 0, max: 1 }), close: fc.integer({ min: 1, max: 9 }) }),
      {
        minLength: 1,
      },
    );
    fc.assert(
      fc.property(views, (steps) => {
        let open: OpenBar = NO_OPEN_BAR;
        let hour = 5;
        const lastView = new Map<number, number>();
        const closed: Bar[] = [];
        for (const { step, close } of steps) {
          hour += step;
          lastView.set(hour, close);
          const closing = updateOpenBar(open, bar(hour, close));
          open = closing.next;
          if (closing.closed !== null) closed.push(closing.closed);
          expect(closing.missedFromMs).toBeNull();
        }

        const expected = [...lastView]
          .filter(([seen]) => seen < hour)
          .map(([seen, close]) => bar(seen, close));
        expect(closed).toEqual(expected);
      }),
    );
  });
});

describe("noteFetchedBars", () => {
  it("finds the hours between what was fetched and the open bar", () => {
    const open = updateOpenBar(NO_OPEN_BAR, bar(11, 100)).next;

    expect(noteFetchedBars(open, 9 * HOUR_MS).missedFromMs).toBe(10 * HOUR_MS);
    expect(noteFetchedBars(open, 10 * HOUR_MS).missedFromMs).toBeNull();
  });

  it("does not tell again of what is missed when older bars are fetched", () => {
    const fetched = noteFetchedBars(updateOpenBar(NO_OPEN_BAR, bar(11, 100)).next, 9 * HOUR_MS).next;

    expect(noteFetchedBars(fetched, 9 * HOUR_MS).missedFromMs).toBeNull();
    expect(noteFetchedBars(fetched, 4 * HOUR_MS).missedFromMs).toBeNull();
  });

  it("does not forget what was closed when older bars are fetched", () => {
    const closed = closeOpenBar(updateOpenBar(NO_OPEN_BAR, bar(10, 100)).next).next;

    expect(noteFetchedBars(closed, 4 * HOUR_MS).next.lastClosedMs).toBe(10 * HOUR_MS);
  });
});
