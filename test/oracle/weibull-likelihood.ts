/** Log-likelihood of waiting times under a Weibull law, each term by its definition; censored ones by their survival. */
export function weibullLogLikelihood(
  durations: readonly { readonly length: number; readonly isCensored: boolean }[],
  rate: number,
  shape: number,
): number {
  let sum = 0;
  for (const { length, isCensored } of durations) {
    const survival = Math.exp(-((rate * length) ** shape));
    const density = rate ** shape * shape * length ** (shape - 1) * survival;
    sum += Math.log(isCensored ? survival : density);
  }
  return sum;
}

/** The waiting times of a record of breaches, as one would list them by hand. */
export function listDurations(
  breaches: readonly number[],
): readonly { readonly length: number; readonly isCensored: boolean }[] {
  const at = breaches.flatMap((breach, t) => (breach === 1 ? [t] : []));
  const first = at[0];
  const last = at.at(-1);
  if (first === undefined || last === undefined) return [];
  const complete = at.slice(1).map((t, k) => ({ length: t - at[k]!, isCensored: false }));
  const before = first > 0 ? [{ length: first + 1, isCensored: true }] : [];
  const after = last < breaches.length - 1 ? [{ length: breaches.length - 1 - last, isCensored: true }] : [];
  return [...before, ...complete, ...after];
}
