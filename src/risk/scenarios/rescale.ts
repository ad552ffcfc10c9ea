import { HORIZON_HOURS } from "../volatility/term-structure.ts";

/** Beyond this a rescaled sheet is no longer the right shape: it must be drawn anew. */
export const RESCALE_MAX = 2;

/** How much sigma moved since a sheet was drawn, per horizon. */
export interface SigmaDrift {
  /** √(cumulative variance now / when drawn), held within [½, 2]. Shapes: one per horizon. */
  readonly ratios: Float64Array;
  /** True where a ratio had to be held: the sheet should be drawn anew. */
  readonly isBeyondRescaling: boolean;
}

export function sigmaDrift(varianceNow: ArrayLike<number>, varianceAtDraw: ArrayLike<number>): SigmaDrift {
  const ratios = new Float64Array(HORIZON_HOURS.length);
  let isBeyondRescaling = false;
  for (let horizon = 0; horizon < ratios.length; horizon++) {
    const raw = Math.sqrt(varianceNow[horizon]! / varianceAtDraw[horizon]!);
    ratios[horizon] = Math.max(1 / RESCALE_MAX, Math.min(RESCALE_MAX, raw));
    if (raw > RESCALE_MAX || raw < 1 / RESCALE_MAX) isBeyondRescaling = true;
  }
  return { ratios, isBeyondRescaling };
}
