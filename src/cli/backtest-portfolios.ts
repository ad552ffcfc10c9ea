import { correlationDriftScale } from "../risk/portfolio/dependence/correlation-drift.ts";
import { fillPortfolioLosses, type SheetPosition } from "../risk/portfolio/portfolio-losses.ts";
import {
  createPortfolioWorkspace,
  portfolioTail,
  scaledTail,
  type PortfolioTail,
} from "../risk/portfolio/portfolio-var.ts";
import { ewmaSigma } from "../risk/backtest/baselines.ts";
import { sampleTailWeights, tailOfDescending, type TailForecast } from "../risk/backtest/tail-forecast.ts";
import { normalDensity, normalQuantile } from "../math/normal.ts";
import { DAY_HOURS, HOUR_MS } from "../domain/bar.ts";
import { POOL_WINDOW_HOURS } from "../risk/scenarios/residual-pool.ts";
import type { CandleSeries } from "../risk/backtest/hourly-candles.ts";
import type { MorningSheet } from "./backtest-forecaster.ts";
import type { Ledger } from "./backtest-ledger.ts";

export const PORTFOLIO_MODELS = [
  "breakwater",
  "without-drift-scale",
  "historical-simulation",
  "ewma-normal",
] as const;

const DAYS = 250;
/** Coins are held from this age on; half of those days may lack a price. */
const DAYS_MIN = 60;

/** One USD of gross exposure, split over the assets that are there. */
type Weights = (assets: readonly string[]) => ReadonlyMap<string, number> | null;

const PORTFOLIOS: Readonly<Record<string, Weights>> = {
  "equal-weight long": (assets) => new Map(assets.map((asset) => [asset, 1 / assets.length])),
  "equal-weight short": (assets) => new Map(assets.map((asset) => [asset, -1 / assets.length])),
  "BTC-ETH": (assets) =>
    assets.includes("BTC") && assets.includes("ETH")
      ? new Map([
          ["BTC", 0.5],
          ["ETH", -0.5],
        ])
      : null,
  "BTC vs alts": (assets) => {
    const alts = assets.filter((asset) => asset !== "BTC");
    if (!assets.includes("BTC") || alts.length < 2) return null;
    return new Map(assets.map((asset) => [asset, asset === "BTC" ? 0.5 : -0.5 / alts.length]));
  },
  // Two thirds long, a third short, by alphabet.
  mixed: (assets) =>
    assets.length < 3
      ? null
      : new Map(assets.map((asset, place) => [asset, (place % 3 === 2 ? -1 : 1) / assets.length])),
};

export const PORTFOLIO_NAMES = Object.keys(PORTFOLIOS);

/** Forecasts of portfolios held for a day, by the service's joint scenarios and by two baselines on their own past. */
export class PortfolioBacktest {
  readonly #ledger: Ledger;
  readonly #workspace = createPortfolioWorkspace(POOL_WINDOW_HOURS.value);
  readonly #losses = new Float64Array(POOL_WINDOW_HOURS.value);

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** After the bar of `hour` closed, for the assets that have forecasts. */
  judgeDay(hour: number, morning: MorningSheet, series: readonly CandleSeries[]): void {
    // A coin without a past of its own would leave the baselines none.
    const grown = series.filter(({ firstHour }) => firstHour <= hour - (DAYS_MIN + 1) * DAY_HOURS);
    if (grown.length === 0) return;
    for (const [name, weightsOf] of Object.entries(PORTFOLIOS)) {
      const weights = weightsOf(grown.map(({ asset }) => asset));
      if (weights === null) continue;
      const held = grown.filter(({ asset }) => weights.has(asset));
      const loss = lossOver(held, weights, hour);
      if (loss === null) continue;
      const past = pastLosses(held, weights, hour);
      if (past.length < DAYS_MIN / 2) continue;
      const positions = held.map(({ asset }) => ({
        row: morning.assets.indexOf(asset),
        notionalUsdSigned: weights.get(asset)!,
      }));
      const forecasts = { ...this.#joint(morning, positions), ...ownPast(past) };
      const timeMs = (hour + 1) * HOUR_MS;
      for (const model of PORTFOLIO_MODELS) {
        const key = { subject: name, model, horizonHours: DAY_HOURS, side: "long" } as const;
        this.#ledger.add(key, timeMs, loss, forecasts[model]);
      }
    }
  }

  #joint(
    { sheet }: MorningSheet,
    positions: readonly SheetPosition[],
  ): Record<"breakwater" | "without-drift-scale", TailForecast> {
    fillPortfolioLosses(sheet, positions, this.#losses);
    const scale = correlationDriftScale(sheet, positions, this.#workspace.products, this.#workspace.drift);
    const tail = portfolioTail(this.#losses, this.#workspace);
    return {
      breakwater: fractionsOf(scaledTail(tail, scale)),
      "without-drift-scale": fractionsOf(tail),
    };
  }
}

function fractionsOf(tail: PortfolioTail): TailForecast {
  return {
    var95: tail.var95Usd,
    var99: tail.var99Usd,
    expectedShortfall95: tail.expectedShortfall95Usd,
    expectedShortfall99: tail.expectedShortfall99Usd,
  };
}

function ownPast(losses: Float64Array): Record<"historical-simulation" | "ewma-normal", TailForecast> {
  const sigma = ewmaSigma(losses, true);
  const shortfall = (p: number): number => (sigma * normalDensity(normalQuantile(p))) / p;
  return {
    "historical-simulation": tailOfDescending(
      losses.toSorted((a, b) => b - a),
      losses.length,
      sampleTailWeights(losses.length),
    ),
    "ewma-normal": {
      var95: sigma * normalQuantile(0.95),
      var99: sigma * normalQuantile(0.99),
      expectedShortfall95: shortfall(0.05),
      expectedShortfall99: shortfall(0.01),
    },
  };
}

/** Loss of the day that begins after an hour; null when a price is missing. */
function lossOver(
  held: readonly CandleSeries[],
  weights: ReadonlyMap<string, number>,
  hour: number,
): number | null {
  let loss = 0;
  for (const { asset, closeAt } of held) {
    loss -= weights.get(asset)! * (closeAt(hour + DAY_HOURS) / closeAt(hour) - 1);
  }
  return Number.isNaN(loss) ? null : loss;
}

/** What today's portfolio would have lost on each of the last days; days before one of its assets existed are left out. */
function pastLosses(
  held: readonly CandleSeries[],
  weights: ReadonlyMap<string, number>,
  hour: number,
): Float64Array {
  const losses: number[] = [];
  for (let day = DAYS; day >= 1; day--) {
    const loss = lossOver(held, weights, hour - day * DAY_HOURS);
    if (loss !== null) losses.push(loss);
  }
  return Float64Array.from(losses);
}
