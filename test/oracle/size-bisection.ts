/** The largest accepted size by plain bisection in logarithms from 1 USD, asked at every halving. */
export function bisectedSize(
  upperUsd: number,
  precision: number,
  isAccepted: (notionalUsd: number) => boolean,
): number {
  if (upperUsd <= 0) return 0;
  if (isAccepted(upperUsd)) return upperUsd;
  if (upperUsd <= 1 || !isAccepted(1)) return 0;
  let accepted = 1;
  let refused = upperUsd;
  while (refused > accepted * (1 + precision)) {
    const middle = Math.sqrt(accepted * refused);
    if (isAccepted(middle)) accepted = middle;
    else refused = middle;
  }
  return accepted;
}
