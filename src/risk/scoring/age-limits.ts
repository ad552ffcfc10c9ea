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
