import type { RankedSeries } from "./ranks.ts";

/**
 * Kendall's tau-b, (concordant − discordant)/√((pairs untied in x)(pairs untied in y)), in O(n log n).
 *
 * Shapes:  two series of one length
 * Holds:   in [−1, 1]; NaN when either is constant
 * Source:  Knight, A computer method for calculating Kendall's tau with ungrouped data, JASA 61 (1966), for tau from
 *          counts; discordant pairs are counted by a tree of running sums, Fenwick, Software: Practice and Experience 24
 *          (1994)
 */
export function kendallTau(x: RankedSeries, y: RankedSeries): number {
  const n = x.order.length;
  const tree = new Uint32Array(n + 1);
  let discordant = 0;
  let tiedBoth = 0;
  for (let first = 0; first < n;) {
    // Values of x that are equal make no pair with each other: they enter the tree together.
    const end = x.ranks[x.order[first]!]! - first + 1;
    for (let i = first; i < end; i++) discordant += first - countUpTo(tree, leafOf(y, x.order[i]!));
    for (let i = first; i < end; i++) add(tree, leafOf(y, x.order[i]!));
    if (end - first > 1 && y.tiedPairs > 0) tiedBoth += equalPairs(x.order.subarray(first, end), y.ranks);
    first = end;
  }
  const pairs = (n * (n - 1)) / 2;
  const score = pairs - x.tiedPairs - y.tiedPairs + tiedBoth - 2 * discordant;
  return score / Math.sqrt((pairs - x.tiedPairs) * (pairs - y.tiedPairs));
}

/** Equal values share a leaf, from 1 on. */
function leafOf({ ranks }: RankedSeries, place: number): number {
  return (ranks[place]! >>> 1) + 1;
}

function add(tree: Uint32Array, leaf: number): void {
  for (let node = leaf; node < tree.length; node += node & -node) tree[node]!++;
}

function countUpTo(tree: Uint32Array, leaf: number): number {
  let count = 0;
  for (let node = leaf; node > 0; node &= node - 1) count += tree[node]!;
  return count;
}

function equalPairs(places: Uint32Array, ranks: Uint32Array): number {
  const values = places.map((place) => ranks[place]!).sort();
  let pairs = 0;
  let run = 0;
  for (let i = 1; i < values.length; i++) {
    run = values[i] === values[i - 1] ? run + 1 : 0;
    pairs += run;
  }
  return pairs;
}
