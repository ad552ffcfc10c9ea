import { DAY_HOURS, WEEK_HOURS } from "../../domain/bar.ts";

/** The horizons of every term structure and distribution, in hours. */
export const HORIZON_HOURS = [1, 4, 24, 168] as const;

/** A horizon that every distribution is read at. */
export type HorizonHours = (typeof HORIZON_HOURS)[number];

/** Steps of a simulated path: the longest horizon. */
export const PATH_STEPS = WEEK_HOURS;

/** Where paths of HORIZON_HOURS are kept when nobody reads the week: a day takes a seventh of its time. */
export const STEPS_WITHOUT_WEEK: readonly number[] = [1, 4, DAY_HOURS, DAY_HOURS];

/** Where a horizon stands in every array that runs over horizons. */
export function horizonIndex(horizonHours: HorizonHours): number {
  switch (horizonHours) {
    case 1:
      return 0;
    case 4:
      return 1;
    case 24:
      return 2;
    case 168:
      return 3;
  }
}
