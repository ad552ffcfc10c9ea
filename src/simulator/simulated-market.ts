import { HOUR_MS, hourStartMsOf } from "../domain/bar.ts";
import { PREMIUM_SAMPLE_MS, settlementTimeMs, type FundingSettlement } from "./funding-clock.ts";
import { LiveAsset } from "./live-asset.ts";
import { NoiseStream } from "./noise.ts";
import { BLOCK_MS, PriceProcess, seasonalFactor } from "./price-process.ts";
import type { Scenarios } from "./scenarios.ts";
import { drawBasisHours, fillCandleHistory, fillFundingHistory } from "./simulated-history.ts";
import { buildUniverse, type SimulatedAsset } from "./simulated-universe.ts";

/** Books, touches and trades move on one clock; the fast feed sends every instant, the slow one every tenth. */
export const BOOK_INSTANT_MS = 540;
const ORACLE_TICK_MS = 3000;
const HISTORY_HOURS = 5000;

export interface MarketOptions {
  /** The first so many assets of the universe; absent means all. */
  readonly assetCount?: number | undefined;
  /** Candles and settlements before the start; absent means as many as the exchange keeps. */
  readonly historyHours?: number | undefined;
}

export interface MarketListener {
  oracleTicked(timeMs: number): void;
  fundingSettled(timeMs: number, settlements: ReadonlyMap<string, FundingSettlement>): void;
}

interface Cadence {
  nextMs: number;
  readonly periodMs: number;
  readonly run: (timeMs: number) => void;
}

const nextMultiple = (timeMs: number, periodMs: number): number =>
  (Math.floor(timeMs / periodMs) + 1) * periodMs;

/** All markets on one clock. The state is a function of seed, start time, scenarios and the time it was advanced to. */
export class SimulatedMarket {
  readonly assets: readonly LiveAsset[];
  readonly universe: readonly SimulatedAsset[];
  readonly #byCoin: ReadonlyMap<string, LiveAsset>;
  readonly #process: PriceProcess;
  readonly #bridgeNoise: NoiseStream;
  readonly #scenarios: Scenarios;
  readonly #seed: number;
  readonly #cadences: readonly Cadence[];
  /** Log-return of each asset since the block began, on its way to the block's. */
  readonly #progress: Float64Array;
  #blockEndMs: number;
  #settleAtMs: number;
  #instantMs: number;
  #nowMs: number;
  listener: MarketListener | undefined;

  constructor(seed: number, startMs: number, scenarios: Scenarios, options: MarketOptions = {}) {
    const { assetCount, historyHours = HISTORY_HOURS } = options;
    this.#seed = seed;
    this.#scenarios = scenarios;
    this.universe = buildUniverse(assetCount);
    this.#process = new PriceProcess(this.universe, seed);
    this.#bridgeNoise = new NoiseStream(seed, "bridge");
    this.#progress = new Float64Array(this.universe.length);
    const blockStartMs = Math.floor(startMs / BLOCK_MS) * BLOCK_MS;
    this.assets = this.universe.map((spec) => {
      const hours = spec.isDelisted ? 1 : Math.min(historyHours, spec.listedHours ?? historyHours);
      const basisHours = drawBasisHours(spec, seed, hours);
      const asset = new LiveAsset(spec, seed, blockStartMs, spec.isDelisted ? 0 : basisHours.at(-1)!);
      if (!spec.isDelisted) fillFundingHistory(asset, basisHours, blockStartMs);
      return asset;
    });
    this.#byCoin = new Map(this.assets.map((asset) => [asset.spec.coin, asset]));
    fillCandleHistory(this.assets, this.#process, seed, historyHours, blockStartMs);
    this.#nowMs = blockStartMs;
    this.#instantMs = blockStartMs;
    this.#blockEndMs = blockStartMs;
    this.#settleAtMs = settlementTimeMs(seed, nextMultiple(blockStartMs, HOUR_MS));
    const cadence = (periodMs: number, run: (timeMs: number) => void): Cadence => ({
      nextMs: nextMultiple(blockStartMs, periodMs),
      periodMs,
      run,
    });
    this.#cadences = [
      cadence(BOOK_INSTANT_MS, (timeMs) => this.#moveBooks(timeMs)),
      cadence(ORACLE_TICK_MS, (timeMs) => this.#tickOracles(timeMs)),
      cadence(PREMIUM_SAMPLE_MS, () => this.#liveAssets((asset) => asset.samplePremium())),
    ];
    this.#beginBlock();
    this.advanceTo(startMs);
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Time of the newest book instant: what every book of the moment is stamped with. */
  get instantMs(): number {
    return this.#instantMs;
  }

  assetOf(coin: unknown): LiveAsset | undefined {
    return typeof coin === "string" ? this.#byCoin.get(coin) : undefined;
  }

  #liveAssets(visit: (asset: LiveAsset, index: number) => void): void {
    this.assets.forEach((asset, index) => {
      if (asset.isLive) visit(asset, index);
    });
  }

  /** Runs everything that is due up to the time, in order of time; never backwards. */
  advanceTo(timeMs: number): void {
    for (const { tape } of this.assets) tape.trim();
    for (;;) {
      let due = this.#cadences[0]!;
      for (const cadence of this.#cadences) if (cadence.nextMs < due.nextMs) due = cadence;
      const settlesFirst = this.#settleAtMs <= due.nextMs;
      const nextMs = settlesFirst ? this.#settleAtMs : due.nextMs;
      if (nextMs > timeMs) break;
      this.#nowMs = nextMs;
      if (settlesFirst) {
        this.#settleFunding(nextMs);
        continue;
      }
      due.nextMs += due.periodMs;
      due.run(nextMs);
    }
    this.#nowMs = Math.max(this.#nowMs, timeMs);
  }

  #beginBlock(): void {
    this.#process.draw(this.#blockEndMs, BLOCK_MS);
    this.#blockEndMs += BLOCK_MS;
    this.#progress.fill(0);
  }

  /** Steps every live price along its bridge; a block that ends on the way is completed exactly. */
  #moveBooks(timeMs: number): void {
    const fromMs = this.#instantMs;
    this.#instantMs = timeMs;
    const moves = new Float64Array(this.assets.length);
    let at = fromMs;
    while (at < timeMs) {
      const until = Math.min(timeMs, this.#blockEndMs);
      this.#liveAssets((_, i) => (moves[i]! += this.#bridgeStep(i, at, until)));
      at = until;
      if (at === this.#blockEndMs) this.#beginBlock();
    }
    const { deviation, volatilityRatio } = this.#process.block;
    const share = Math.sqrt((timeMs - fromMs) / BLOCK_MS);
    const season = seasonalFactor(timeMs);
    this.#liveAssets((asset, i) => {
      const scenarioMove = this.#scenarios.stepAsset(asset, fromMs, timeMs);
      asset.moveTo(timeMs, moves[i]! + scenarioMove, deviation[i]! * share, volatilityRatio[i]!);
      this.#trade(asset, timeMs, timeMs - fromMs, season * season * volatilityRatio[i]!);
    });
  }

  #bridgeStep(i: number, fromMs: number, toMs: number): number {
    const leftMs = this.#blockEndMs - fromMs;
    const stepMs = toMs - fromMs;
    const { logReturn, deviation } = this.#process.block;
    const before = this.#progress[i]!;
    const spread = deviation[i]! * Math.sqrt((stepMs * (leftMs - stepMs)) / leftMs / BLOCK_MS);
    const after = before + ((logReturn[i]! - before) * stepMs) / leftMs + spread * this.#bridgeNoise.normal();
    this.#progress[i] = after;
    return after - before;
  }

  #trade(asset: LiveAsset, timeMs: number, elapsedMs: number, activity: number): void {
    const touch = asset.touch;
    const count = touch === undefined ? 0 : asset.tape.draw(timeMs, elapsedMs, touch, activity);
    for (const print of asset.tape.recent(count)) {
      asset.candles.rollTo(print.timeMs, asset.fairPrice);
      asset.candles.addTrade(print.price, print.sizeBase);
    }
    asset.candles.rollTo(timeMs, asset.fairPrice);
  }

  #tickOracles(timeMs: number): void {
    this.#liveAssets((asset) => asset.tickOracle(ORACLE_TICK_MS));
    this.listener?.oracleTicked(timeMs);
  }

  #settleFunding(timeMs: number): void {
    const hourMs = hourStartMsOf(timeMs);
    const settlements = new Map<string, FundingSettlement>();
    this.#liveAssets((asset) => settlements.set(asset.spec.coin, asset.funding.settle(hourMs)));
    this.#settleAtMs = settlementTimeMs(this.#seed, hourMs + HOUR_MS);
    this.listener?.fundingSettled(timeMs, settlements);
  }
}
