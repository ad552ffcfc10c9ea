import { invariant } from "../../math/invariant.ts";
import { rankSeries } from "../../math/ranks.ts";

/**
 * Probability that an event was given a higher forecast than a non-event, ties counting half (Mann–Whitney). Null when
 * only one class occurred.
 *
 * Holds:   unchanged by increasing maps of the forecasts; 1 − p turns it into 1 − AUC
 * Source:  Hanley and McNeil, The meaning and use of the area under a ROC curve, Radiology 143 (1982)
 */
export function auc(probabilities: ArrayLike<number>, outcomes: ArrayLike<number>): number | null {
  const n = probabilities.length;
  invariant(outcomes.length === n, "a forecast for every outcome");
  const { ranks } = rankSeries(probabilities);
  let events = 0;
  let rankSum = 0;
  for (let i = 0; i < n; i++) {
    if (outcomes[i] !== 1) continue;
    events++;
    rankSum += ranks[i]! / 2 + 1;
  }
  const nonEvents = n - events;
  if (events === 0 || nonEvents === 0) return null;
  return (rankSum - (events * (events + 1)) / 2) / (events * nonEvents);
}
