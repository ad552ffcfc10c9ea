import { DAY_HOURS, WEEK_HOURS } from "../../domain/bar.ts";
/** The epoch was a Thursday: weeks begin on a Monday, four days on. */
const MONDAY = 4 * DAY_HOURS;

/**
 * How many of HORIZON_HOURS begin a judged period at the start of an hour, counted from the epoch: 1 h always, 4 h at
 * 00, 04, … UTC, 24 h at 00 UTC, 7 d on Mondays at 00 UTC. Holds: periods of one horizon do not overlap.
 */
export function horizonsDue(hour: number): number {
  if (startsWeek(hour)) return 4;
  if (startsDay(hour)) return 3;
  return hour % 4 === 0 ? 2 : 1;
}

export function startsDay(hour: number): boolean {
  return hour % DAY_HOURS === 0;
}

export function startsWeek(hour: number): boolean {
  return hour % WEEK_HOURS === MONDAY;
}
