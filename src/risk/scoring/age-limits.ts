import type { Calibrated } from "../../domain/calibrated.ts";

/** How old a fact of the market may be. */
export interface AgeLimits {
  /** Past it an answer is flagged and at best cautious. */
  readonly softMs: number;
  /** Past it there is no answer, exits excepted. */
  readonly hardMs: number;
}

export const BOOK_AGE: Calibrated<AgeLimits> = {
  value: { softMs: 10_000, hardMs: 60_000 },
  unit: "milliseconds since the newest frame arrived",
  source: "chosen: the slowest book subscription resends every 5.0-5.6 s, so 10 s is one frame missed",
  fittedOn: "cadence measured on the exchange's feed, 2026-09-24",
};

export const MARK_AGE: Calibrated<AgeLimits> = {
  value: { softMs: 10_000, hardMs: 60_000 },
  unit: "milliseconds since the context arrived",
  source: "chosen: contexts come about once a second, marks move every 3 s",
  fittedOn: "cadence measured on the exchange's feed, 2026-09-24",
};

/** How far a book and a mark of the same moment may be apart: further, one of the two is wrong. */
export const BOOK_MARK_GAP: Calibrated<{
  /** Past it an answer is flagged and at best cautious. */
  readonly softFraction: number;
  /** Past it there is no answer, exits excepted. */
  readonly hardFraction: number;
}> = {
  value: { softFraction: 0.02, hardFraction: 0.2 },
  unit: "fraction of the mark by which it lies outside the quoted spread",
  source:
    "chosen: the mark is a median of which the book's own prices are one part; the exchange refuses orders far from it",
  fittedOn: "not fitted: chosen 2026-11",
};
