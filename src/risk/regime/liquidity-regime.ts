export type LiquidityRegime = "normal" | "stressed" | "crisis";

/** What a request reads of an asset's liquidity regime. */
export interface LiquidityRegimeFacts {
  readonly state: LiquidityRegime;
  /** Posterior probability of the reported state, drawn toward 1/3 by the share of missing features. */
  readonly confidence: number;
  readonly probability: Readonly<Record<LiquidityRegime, number>>;
}
