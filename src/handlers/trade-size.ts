/** USD; smaller sizes are assessed as this one, where a cost and the share it is of the size are still numbers. */
export const SMALLEST_SIZE_USD = 1e-6;

/** USD; the specification's upper limit of one trade. */
export const MAXIMUM_SIZE_USD = 100_000_000;
