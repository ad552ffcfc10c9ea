import { DAY_MS, HOUR_MS, hourStartMsOf } from "../domain/bar.ts";
import { clamp } from "../math/clamp.ts";
import { type CandleBook, CANDLES_MAX } from "./candle-book.ts";
import type { CandleSeries } from "./candle-series.ts";
import { PREMIUM_SAMPLE_MS, premiumOf } from "./funding-clock.ts";
import { BASIS_HALF_LIFE_HOURS, type LiveAsset } from "./live-asset.ts";
import { NoiseStream } from "./noise.ts";
import { BLOCK_MS, type PriceProcess, seasonalFactor } from "./price-process.ts";
import type { SimulatedAsset } from "./simulated-universe.ts";
import { meanTradeUsdOf } from "./trade-tape.ts";

const MINUTES_PER_BLOCK = BLOCK_MS / 60_000;
/** History is drawn in the live block length as far back as five-minute candles reach, before that in longer blocks. */
const FINE_HOURS = 417;
const COARSE_BLOCK_MS = 3 * BLOCK_MS;

/** Mean basis (perpetual over oracle) of each of the last hours: a first-order autoregression, the live one's past. */
export function drawBasisHours(spec: SimulatedAsset, seed: number, hours: number): Float64Array {
  const noise = new NoiseStream(seed, `basis:${spec.coin}`);
  const decay = 0.5 ** (1 / BASIS_HALF_LIFE_HOURS);
  const step = spec.basisDeviation * Math.sqrt(1 - decay ** 2);
  const path = new Float64Array(hours);
  let deviation = spec.basisDeviation * noise.normal();
  for (let i = 0; i < hours; i++) {
    deviation = decay * deviation + step * noise.normal();
    path[i] = spec.basisMean + deviation;
  }
  return path;
}

/** Records the settled hours up to the running one and primes the running hour with the samples it would hold. */
export function fillFundingHistory(asset: LiveAsset, basisHours: Float64Array, nowMs: number): void {
  const hourMs = hourStartMsOf(nowMs);
  const halfSpread = 1e-4 * asset.spec.halfSpreadBps;
  const premiumAt = (basis: number): number =>
    premiumOf((1 + basis) * (1 - halfSpread), (1 + basis) * (1 + halfSpread), 1);
  basisHours.forEach((basis, i) =>
    asset.funding.record(hourMs - (basisHours.length - 1 - i) * HOUR_MS, premiumAt(basis)),
  );
  const samples = Math.floor((nowMs - hourMs) / PREMIUM_SAMPLE_MS);
  asset.funding.sample(premiumAt(basisHours.at(-1) ?? 0), samples);
}

/** Extremes of a Brownian bridge from 0 to `end`: max = (end + sqrt(end² - 2 d² ln U)) / 2, and the mirror image. */
function bridgeMaximum(end: number, deviation: number, uniform: number): number {
  return 0.5 * (end + Math.sqrt(end * end - 2 * deviation * deviation * Math.log(uniform)));
}

interface Writer {
  readonly spec: SimulatedAsset;
  readonly candles: CandleBook;
  readonly noise: NoiseStream;
  readonly fromMs: number;
  logPrice: number;
}

/**
 * Runs the price process over the past and leaves every asset with 5000 hours (or its listed life) of candles that
 * end at its start price, so that the first live price continues the last close.
 */
export function fillCandleHistory(
  assets: readonly LiveAsset[],
  process: PriceProcess,
  seed: number,
  hours: number,
  endMs: number,
): void {
  const startMs = hourStartMsOf(endMs) - hours * HOUR_MS;
  const writers: Writer[] = assets.map(({ spec, candles }) => ({
    spec,
    candles,
    noise: new NoiseStream(seed, `history:${spec.coin}`),
    fromMs: endMs - Math.min(hours, spec.listedHours ?? hours) * HOUR_MS,
    logPrice: 0,
  }));
  const fiveFromMs = Math.max(startMs, hourStartMsOf(endMs) - FINE_HOURS * HOUR_MS);
  const minuteFromMs = endMs - (CANDLES_MAX / MINUTES_PER_BLOCK) * BLOCK_MS;
  let durationMs = COARSE_BLOCK_MS;
  for (let timeMs = startMs; timeMs < endMs; timeMs += durationMs) {
    if (timeMs >= fiveFromMs) durationMs = BLOCK_MS;
    process.draw(timeMs, durationMs);
    const season = seasonalFactor(timeMs);
    const wanted = { durationMs, five: timeMs >= fiveFromMs, minute: timeMs >= minuteFromMs };
    for (let i = 0; i < writers.length; i++) {
      const writer = writers[i]!;
      if (timeMs < writer.fromMs || writer.spec.isDelisted) continue;
      writeBlock(writer, timeMs, process.block.logReturn[i]!, process.block.deviation[i]!, season, wanted);
    }
  }
  for (const { candles, logPrice, spec } of writers) {
    const shift = Math.log(spec.startPrice) - logPrice;
    for (const series of [candles.minute, candles.fiveMinutes, candles.hour]) series.exponentiate(shift);
  }
}

function writeBlock(
  writer: Writer,
  timeMs: number,
  logReturn: number,
  deviation: number,
  season: number,
  wanted: { durationMs: number; five: boolean; minute: boolean },
): void {
  const { noise, spec, candles } = writer;
  const open = writer.logPrice;
  const close = open + logReturn;
  const high = open + bridgeMaximum(logReturn, deviation, noise.uniform());
  const low = open - bridgeMaximum(-logReturn, deviation, noise.uniform());
  const activity =
    season *
    season *
    (0.4 + (0.6 * Math.abs(logReturn)) / deviation) *
    (0.5 - 0.5 * Math.log(noise.uniform()));
  const volumeUsd = spec.dayVolumeUsd * (wanted.durationMs / DAY_MS) * activity;
  const tradeCount = Math.round(volumeUsd / meanTradeUsdOf(spec));
  addTo(candles.hour, timeMs, open, high, low, close, volumeUsd, tradeCount);
  if (wanted.five) addTo(candles.fiveMinutes, timeMs, open, high, low, close, volumeUsd, tradeCount);
  if (wanted.minute)
    writeMinutes(writer, timeMs, { open, high, low, close, deviation, volumeUsd, tradeCount });
  writer.logPrice = close;
}

function addTo(
  series: CandleSeries,
  timeMs: number,
  open: number,
  high: number,
  low: number,
  close: number,
  usd: number,
  count: number,
): void {
  series.rollTo(timeMs, open);
  series.extend(high, low, close, usd, count);
}

/** Splits a block into minutes along a bridge; the block's own high and low fall in the minute nearest to each. */
function writeMinutes(
  { noise, candles }: Writer,
  timeMs: number,
  block: {
    open: number;
    high: number;
    low: number;
    close: number;
    deviation: number;
    volumeUsd: number;
    tradeCount: number;
  },
): void {
  const closes: number[] = [];
  let price = block.open;
  for (let left = MINUTES_PER_BLOCK; left > 0; left--) {
    const bridgeDeviation = block.deviation * Math.sqrt((left - 1) / left / MINUTES_PER_BLOCK);
    price =
      left === 1 ? block.close : price + (block.close - price) / left + bridgeDeviation * noise.normal();
    closes.push(clamp(price, block.low, block.high));
    price = closes.at(-1)!;
  }
  const highMinute = closes.indexOf(Math.max(...closes));
  const lowMinute = closes.indexOf(Math.min(...closes));
  let open = block.open;
  closes.forEach((close, minute) => {
    const wick = (0.4 * block.deviation * -Math.log(noise.uniform())) / Math.sqrt(MINUTES_PER_BLOCK);
    const high = minute === highMinute ? block.high : Math.min(block.high, Math.max(open, close) + wick);
    const low = minute === lowMinute ? block.low : Math.max(block.low, Math.min(open, close) - wick);
    const count = Math.round(block.tradeCount / MINUTES_PER_BLOCK);
    addTo(
      candles.minute,
      timeMs + minute * 60_000,
      open,
      high,
      low,
      close,
      block.volumeUsd / MINUTES_PER_BLOCK,
      count,
    );
    open = close;
  });
}
