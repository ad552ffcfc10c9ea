import { type Bar, HOUR_MS } from "../domain/bar.ts";

/** The open bar of one asset and the last bar known to be closed before it. */
export interface OpenBar {
  readonly bar: Bar | null;
  readonly lastClosedMs: number | null;
  /** False after a feed loss: what the open bar did meanwhile is unknown until a newer view of it arrives. */
  readonly isWhole: boolean;
}

export const NO_OPEN_BAR: OpenBar = { bar: null, lastClosedMs: null, isWhole: true };

/** What followed from one observation: a bar closed by it, and from which hour on bars must be fetched. */
export interface BarClosing {
  readonly next: OpenBar;
  readonly closed: Bar | null;
  readonly missedFromMs: number | null;
}

/**
 * A view of the open bar: the bar before it is final once the open time advances; hours between them were missed. They
 * are told of once, with the first view: whoever fetches them repeats what fails.
 */
export function updateOpenBar(open: OpenBar, bar: Bar): BarClosing {
  if (bar.openTimeMs <= (open.lastClosedMs ?? -Infinity)) return unchanged(open);
  const seenMs = open.bar?.openTimeMs ?? -Infinity;
  if (bar.openTimeMs < seenMs) return unchanged(open);
  if (bar.openTimeMs === seenMs) return unchanged({ ...open, bar, isWhole: true });
  const closing = closeOpenBar(open);
  return {
    next: { ...closing.next, bar, isWhole: true },
    closed: closing.closed,
    missedFromMs: closing.missedFromMs ?? holeBefore(bar.openTimeMs, closing.next.lastClosedMs),
  };
}

/** The hour of the open bar is over: the last view of it is final, unless the feed was lost since. */
export function closeOpenBar(open: OpenBar): BarClosing {
  const { bar } = open;
  if (bar === null) return unchanged(open);
  return {
    next: { bar: null, lastClosedMs: bar.openTimeMs, isWhole: true },
    closed: open.isWhole ? bar : null,
    missedFromMs: open.isWhole ? null : bar.openTimeMs,
  };
}

/** The feed was lost: the open bar goes on unseen. */
export function interruptOpenBar(open: OpenBar): OpenBar {
  return { ...open, isWhole: false };
}

/** Fetched bars end here: hours between them and the open bar were missed. */
export function noteFetchedBars(open: OpenBar, lastClosedMs: number): BarClosing {
  if (lastClosedMs <= (open.lastClosedMs ?? -Infinity)) return unchanged(open);
  const missedFromMs = open.bar === null ? null : holeBefore(open.bar.openTimeMs, lastClosedMs);
  return { next: { ...open, lastClosedMs }, closed: null, missedFromMs };
}

function holeBefore(openTimeMs: number, lastClosedMs: number | null): number | null {
  if (lastClosedMs === null || openTimeMs <= lastClosedMs + HOUR_MS) return null;
  return lastClosedMs + HOUR_MS;
}

function unchanged(open: OpenBar): BarClosing {
  return { next: open, closed: null, missedFromMs: null };
}
