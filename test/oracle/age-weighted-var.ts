/**
 * Historical simulation with weights that fade with age (Boudoukh, Richardson, Whitelaw): the loss at which the largest
 * losses' weights first add up to 1 − c. Losses are oldest first.
 */
export function ageWeightedVar(
  losses: Float64Array,
  decay: number,
  confidence: number,
): { readonly value: number; readonly effectiveSize: number } {
  const n = losses.length;
  const raw = Array.from({ length: n }, (_, i) => decay ** (n - 1 - i));
  const total = raw.reduce((sum, weight) => sum + weight, 0);
  const weighted = raw.map((weight, i) => ({ loss: losses[i]!, weight: weight / total }));
  weighted.sort((a, b) => b.loss - a.loss);
  const effectiveSize = 1 / weighted.reduce((sum, { weight }) => sum + weight * weight, 0);
  let reached = 0;
  for (const { loss, weight } of weighted) {
    reached += weight;
    if (reached >= 1 - confidence) return { value: loss, effectiveSize };
  }
  return { value: weighted.at(-1)!.loss, effectiveSize };
}
