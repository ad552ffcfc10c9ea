/** USD per coin, and coins: a millionth of the exchange's smallest steps. Smaller ones would vanish in sums and means. */
const MARKET_MIN = 1e-12;
/** Ten times the world's yearly product: a larger price or amount is no market's, and its multiples would overflow. */
export const MARKET_USD_MAX = 1e15;
/** Of two prices, or of two amounts. */
export const MARKET_RATIO_MAX = MARKET_USD_MAX / MARKET_MIN;
export const MARKET_LOG_RATIO_MAX = Math.log(MARKET_RATIO_MAX);
/** The exchange charges 4 % an hour at most. */
export const FUNDING_HOURLY_MAX = 1;

/** Whether a price or a number of coins is too small for a market, or a price or an amount too large. */
export function isBeyondMarket(smallest: number, largest: number): boolean {
  return smallest < MARKET_MIN || largest > MARKET_USD_MAX;
}
