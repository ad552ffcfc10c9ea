/** ln[(1−p)^failures p^successes] with 0 ln 0 = 0, so that impossible rates that did not occur cost nothing. */
export function bernoulliLogLikelihood(failures: number, successes: number, p: number): number {
  return (failures === 0 ? 0 : failures * Math.log1p(-p)) + (successes === 0 ? 0 : successes * Math.log(p));
}
