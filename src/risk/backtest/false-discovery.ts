/**
 * Which of many tests stand when all of them are looked at: of those returned, the expected share of false ones is at
 * most `rate`, also where the tests rise and fall together.
 *
 * Shapes:  one flag per p-value, in their order
 * Holds:   lowering a p-value drops no flag; with one test it is p <= rate
 * Source:  Benjamini and Hochberg, Controlling the false discovery rate, J. Royal Statistical Society B 57 (1995);
 *          Benjamini and Yekutieli, Annals of Statistics 29 (2001), on positive dependence
 */
export function falseDiscoveryFlags(pValues: readonly number[], rate: number): readonly boolean[] {
  const ascending = [...pValues].sort((a, b) => a - b);
  const last = ascending.findLastIndex((p, rank) => p <= (rate * (rank + 1)) / ascending.length);
  const threshold = last < 0 ? Number.NEGATIVE_INFINITY : ascending[last]!;
  return pValues.map((p) => p <= threshold);
}
