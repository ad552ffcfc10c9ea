import type { Calibrated } from "../../domain/calibrated.ts";

export const OPEN_INTEREST_CALIBRATION = {
  /** An asset that was never seen at its cap has at least this much room over the most it ever held. */
  priorMultiple: {
    value: 2,
    unit: "multiple of the largest open interest seen",
    source: "chosen: caps of the exchange are not published; puts an unknown asset at half its cap at most",
    fittedOn: "not fitted: chosen 2026-11",
  },
  /** A day's volume says how much interest the book can carry when little of it has been seen. */
  priorVolumeShare: {
    value: 0.5,
    unit: "fraction of 24-hour volume",
    source: "chosen: open interest of liquid perpetuals is of the order of their daily volume",
    fittedOn: "not fitted: chosen 2026-11",
  },
  /** Open interest above a learned cap proves that the cap was raised, by how much is not known. */
  raisedCapMultiple: {
    value: 1.05,
    unit: "multiple of open interest",
    source: "chosen: stays near the cap until the new one is learned",
    fittedOn: "not fitted: chosen 2026-11",
  },
} as const satisfies Record<string, Calibrated>;

export interface OpenInterestFacts {
  /** One side, at mark. */
  readonly openInterestUsd: number;
  /** The exchange's own statement, exact. */
  readonly isAtCap: boolean;
  /** Learned from the open interest seen while at cap, or a guess: the exchange publishes none. */
  readonly capUsd: number;
  /** Open interest / cap; at least 1 at the cap. */
  readonly utilizationFraction: number;
}

export interface OpenInterestInputs {
  readonly openInterestBase: number;
  readonly markPrice: number;
  readonly isAtCap: boolean;
  /** Open interest while the asset was listed at cap, as last seen, or the raise that was seen since. */
  readonly learnedCapUsd: number | null;
  /** Largest open interest seen in the last 90 days. */
  readonly observedMaxUsd: number;
  readonly volume24hUsd: number;
}

/** Open interest against its cap. Holds: at cap, utilization >= 1; 0 <= utilization, finite. */
export function buildOpenInterest(inputs: OpenInterestInputs): OpenInterestFacts {
  const openInterestUsd = inputs.openInterestBase * inputs.markPrice;
  return againstCap(openInterestUsd, inputs.isAtCap, capOf(inputs, openInterestUsd));
}

/** The open interest that an order leaves behind what it opened, as if others opened nothing with what it closed. */
export function withOpened(before: OpenInterestFacts, openedUsd: number): OpenInterestFacts {
  return againstCap(before.openInterestUsd + openedUsd, before.isAtCap, before.capUsd);
}

function againstCap(openInterestUsd: number, isAtCap: boolean, capUsd: number): OpenInterestFacts {
  const ratio = capUsd > 0 ? openInterestUsd / capUsd : 0;
  return {
    openInterestUsd,
    isAtCap,
    capUsd,
    utilizationFraction: isAtCap ? Math.max(1, ratio) : ratio,
  };
}

function capOf(inputs: OpenInterestInputs, openInterestUsd: number): number {
  if (inputs.isAtCap) return openInterestUsd;
  const { priorMultiple, priorVolumeShare, raisedCapMultiple } = OPEN_INTEREST_CALIBRATION;
  if (inputs.learnedCapUsd !== null) {
    return Math.max(inputs.learnedCapUsd, raisedCapMultiple.value * openInterestUsd);
  }
  const seenUsd = Math.max(openInterestUsd, inputs.observedMaxUsd);
  return Math.max(priorMultiple.value * seenUsd, priorVolumeShare.value * inputs.volume24hUsd);
}
