/** Mean Garman-Klass variance, ½ ln(H/L)² − (2 ln 2 − 1) ln(C/O)² a bar. Source: Garman and Klass (1980). */
export function garmanKlassVariance(bars: readonly Ohlc[]): number {
  return meanOf(bars, ({ open, high, low, close }) => {
    return 0.5 * Math.log(high / low) ** 2 - (2 * Math.LN2 - 1) * Math.log(close / open) ** 2;
  });
}

/** Mean Rogers-Satchell variance, free of drift: ln(H/C) ln(H/O) + ln(L/C) ln(L/O). Source: Rogers and Satchell (1991). */
export function rogersSatchellVariance(bars: readonly Ohlc[]): number {
  return meanOf(bars, ({ open, high, low, close }) => {
    return Math.log(high / close) * Math.log(high / open) + Math.log(low / close) * Math.log(low / open);
  });
}

/** Bipower variation (π/2) mean |r_t||r_(t−1)|, which jumps do not move. Source: Barndorff-Nielsen and Shephard (2004). */
export function bipowerVariance(returns: Float64Array): number {
  let sum = 0;
  for (let t = 1; t < returns.length; t++) sum += Math.abs(returns[t]! * returns[t - 1]!);
  return ((Math.PI / 2) * sum) / (returns.length - 1);
}

/** 1.4826 × the median distance from the median. */
export function medianDeviationSigma(returns: Float64Array): number {
  const median = (values: Float64Array): number => {
    const sorted = values.slice().sort();
    const half = sorted.length >> 1;
    return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
  };
  const centre = median(returns);
  return 1.4826 * median(returns.map((r) => Math.abs(r - centre)));
}

/** True range of each bar after the first: the range widened to the previous close. */
export function trueRanges(bars: readonly Ohlc[]): number[] {
  return bars.slice(1).map(({ high, low }, i) => {
    const previous = bars[i]!.close;
    return Math.max(high, previous) - Math.min(low, previous);
  });
}

export interface Ohlc {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

function meanOf(bars: readonly Ohlc[], value: (bar: Ohlc) => number): number {
  return bars.reduce((sum, bar) => sum + value(bar), 0) / bars.length;
}
