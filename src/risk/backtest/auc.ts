import { invariant } from "../../math/invariant.ts";
import { ascendingOrder } from "../../math/radix-sort.ts";

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
  const order = ascendingOrder(probabilities);
  let events = 0;
  let rankSum = 0;
  for (let from = 0; from < n;) {
    let to = from + 1;
    while (to < n && probabilities[order[to]!] === probabilities[order[from]!]) to++;
    const meanRank = (from + 1 + to) / 2;
    for (let rank = from; rank < to; rank++) {
      if (outcomes[order[rank]!] !== 1) continue;
      events++;
      rankSum += meanRank;
    }
    from = to;
  }
  const nonEvents = n - events;
  if (events === 0 || nonEvents === 0) return null;
  return (rankSum - (events * (events + 1)) / 2) / (events * nonEvents);
}
