/** USD; the specification's upper limit of one trade. */
export const MAXIMUM_SIZE_USD = 100_000_000;
