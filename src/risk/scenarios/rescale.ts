import type { Calibrated } from "../../domain/calibrated.ts";
import { HORIZON_HOURS } from "./horizon.ts";

/** Beyond this, or its reciprocal, a rescaled sheet is no longer the right shape: it must be drawn anew. */
export const RESCALE_MAX: Calibrated = {
  value: 2,
  unit: "ratio of sigma now to sigma at the draw",
  source: "chosen: paths at twice the variance model's sigma still have about its shape",
  fittedOn: "not fitted: chosen 2026-11",
};

/** How much sigma moved since a sheet was drawn, per horizon. */
export interface SigmaDrift {
  /**
   * √(cumulative variance now / when drawn), a half at least. Shapes: one per horizon.
   *
   * Until the sheet is drawn anew a larger sigma counts in full, because a crash must not wait for that; of a smaller one
   * no more than half, because the shape of what was drawn in a crash says little of a calm.
   */
  readonly ratios: Float64Array;
  /** True where a ratio is beyond what keeps the shape: the sheet should be drawn anew. */
  readonly isBeyondRescaling: boolean;
}

export function sigmaDrift(varianceNow: ArrayLike<number>, varianceAtDraw: ArrayLike<number>): SigmaDrift {
  const ratios = new Float64Array(HORIZON_HOURS.length);
  let isBeyondRescaling = false;
  for (let horizon = 0; horizon < ratios.length; horizon++) {
    const raw = Math.sqrt(varianceNow[horizon]! / varianceAtDraw[horizon]!);
    ratios[horizon] = Math.max(1 / RESCALE_MAX.value, raw);
    if (raw > RESCALE_MAX.value || raw < 1 / RESCALE_MAX.value) isBeyondRescaling = true;
  }
  return { ratios, isBeyondRescaling };
}
