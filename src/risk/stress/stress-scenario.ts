/** By the exchange's own liquidity tiering: its highest leverage follows depth and volume. */
export type AssetClass = "btc" | "eth" | "large" | "small";

/** One stress of the whole market, sized by what happened or could. Moves are simple returns. */
export interface StressScenario {
  readonly id: string;
  readonly description: string;
  /** First day (UTC) of the event; absent when hypothetical. */
  readonly date?: string;
  readonly source: string;
  /** Price move from start to end. */
  readonly moves: Readonly<Record<AssetClass, number>>;
  /** Deepest move on the way, where prices came back; absent when the end is the worst. */
  readonly excursions?: Readonly<Record<AssetClass, number>>;
  /** True when assets move by their beta to BTC; false for an event of one class of coins. */
  readonly isSystemic: boolean;
  /** What single coins did at the time, by ticker; replaces the class's move. */
  readonly coinMoves: Readonly<Record<string, number>>;
  /** Average rate under the scenario; longs pay when positive. */
  readonly fundingRateHourly: number;
  /** True when the rate is charged to whoever holds the position. */
  readonly isFundingAdverse: boolean;
  readonly spreadMultiplier: number;
  /** Share of today's depth that is left. */
  readonly depthMultiplier: number;
  readonly horizonHours: number;
}
