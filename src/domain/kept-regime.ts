/** An asset's liquidity regime as it was at a moment, in the plain form in which it is kept. */
export interface KeptRegime {
  readonly timeMs: number;
  readonly state: string;
  readonly posterior: readonly number[];
}
