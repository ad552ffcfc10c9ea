/** What a size leaves to a limit: 0 or more keeps it. Larger sizes leave less; the unit is the limit's own. */
export type SlackOfSize = (notionalUsd: number) => number;

/** Sizes below this are nothing. */
export const SIZE_FLOOR_USD = 1;

/** Sizes tried where a straight line through the known slacks crosses 0, before the halving. */
const CROSSINGS_TRIED = 2;

/**
 * The upper bound if it keeps its limit, else the largest size that does, by bisection in logarithms from 1 USD; 0 if
 * that is already too large.
 *
 * A slack is nearly straight in the size, so a line through two of its values crosses 0 near where it does: two sizes
 * tried there answer nearly all that the bisection asks. It still decides, so the answer is the same without them.
 *
 * Units:   precision is the relative width of the last bracket
 * Holds:   the slack of the answer is not negative, that of (1 + precision) times it is; the answer of plain bisection
 */
export function largestWithin(upperUsd: number, precision: number, slackOf: SlackOfSize): number {
  if (upperUsd <= 0) return 0;
  let refusedSlack = slackOf(upperUsd);
  if (refusedSlack >= 0) return upperUsd;
  if (upperUsd <= SIZE_FLOOR_USD) return 0;
  let keptSlack = slackOf(SIZE_FLOOR_USD);
  if (!(keptSlack >= 0)) return 0;
  // What is known: sizes up to the one are kept, from the other on refused.
  let keptUsd = SIZE_FLOOR_USD;
  let refusedUsd = upperUsd;
  // Aimed a little beyond the crossing on the side that is not known yet.
  let aim = 1;
  for (let i = 0; i < CROSSINGS_TRIED; i++) {
    const crossingUsd = keptUsd + ((refusedUsd - keptUsd) * keptSlack) / (keptSlack - refusedSlack);
    const triedUsd = crossingUsd * aim;
    // A limit without a measure has infinite slacks: no line, no crossing.
    if (!(triedUsd > keptUsd && triedUsd < refusedUsd)) break;
    const slack = slackOf(triedUsd);
    if (slack >= 0) {
      keptUsd = triedUsd;
      keptSlack = slack;
      aim = 1 + precision / 8;
    } else {
      refusedUsd = triedUsd;
      refusedSlack = slack;
      aim = 1 - precision / 8;
    }
  }
  let low = SIZE_FLOOR_USD;
  let high = upperUsd;
  while (high > low * (1 + precision)) {
    const middle = Math.sqrt(low * high);
    if (middle <= keptUsd || (middle < refusedUsd && slackOf(middle) >= 0)) low = middle;
    else high = middle;
  }
  return low;
}
