import { HOUR_MS } from "../src/domain/bar.ts";
import { barColumnsOf } from "../src/domain/bar-columns.ts";
import { tickerOf } from "../src/domain/ids.ts";
import { mean, populationVariance } from "../src/math/moments.ts";
import { quantileOfSorted } from "../src/math/quantile.ts";
import { createRandom, type Random } from "../src/math/random.ts";
import { drawSheetJob } from "../src/refit/sheet-job.ts";
import { fitVolatilityJob } from "../src/refit/volatility-job.ts";
import { touchWithin } from "../src/risk/scenarios/touch-curve.ts";
import { studentScale } from "../test/support/student-scale.ts";

/**
 * What the service says of made-up markets whose law is known, against what that law does next from the same state:
 *
 *   npx tsx scripts/known-markets.ts [pasts a law, 32]
 */
const PASTS = Number(process.argv[2] ?? 32);
const PATHS = 20_000;
const HISTORY_HOURS = 4_400;
const STEPS_PER_HOUR = 30;
const FIRST_HOUR = Date.UTC(2026, 0, 1) / HOUR_MS;
const TICKER = tickerOf("BTC");

/** An hour is a Brownian motion of the deviation sigmaAt gives, with a jump at its middle; h is the state between hours. */
interface Law {
  readonly name: string;
  readonly firstState: number;
  readonly sigmaAt: (h: number, hour: number, random: Random) => number;
  readonly jump: (random: Random) => number;
  readonly next: (h: number, logReturn: number) => number;
}

const noJump = (): number => 0;
const asIs = (h: number): number => h;
/** ±25 % over the day, weekends 0.83 to 1.06: about what the exchange's coins show. */
function seasonalSigma(hour: number): number {
  const day = Math.floor(hour / 24) % 7;
  return (1 + 0.25 * Math.cos(((hour % 24) - 14) * (Math.PI / 12))) * (day === 2 || day === 3 ? 0.83 : 1.06);
}

const LAWS: readonly Law[] = [
  { name: "normal, constant sigma", firstState: 1e-4, sigmaAt: Math.sqrt, jump: noJump, next: asIs },
  {
    name: "Student-t (5), constant sigma",
    firstState: 1e-4,
    sigmaAt: (h, _, random) => Math.sqrt(h) * studentScale(5, random),
    jump: noJump,
    next: asIs,
  },
  {
    name: "jumps of 3 % on 1 hour in 150",
    firstState: 4.9e-5,
    sigmaAt: Math.sqrt,
    jump: (random) => (random.uniform() < 1 / 150 ? 0.03 * random.normal() : 0),
    next: asIs,
  },
  {
    name: "seasons of day and week",
    firstState: 6.4e-5,
    sigmaAt: (h, hour) => Math.sqrt(h) * seasonalSigma(hour),
    jump: noJump,
    next: asIs,
  },
  {
    name: "GJR-GARCH, Student-t (6)",
    firstState: 6.4e-5,
    sigmaAt: (h, _, random) => Math.sqrt(h) * studentScale(6, random),
    jump: noJump,
    next: (h, r) => 6.4e-5 * 0.02 + (0.06 + (r < 0 ? 0.04 : 0)) * r * r + 0.9 * h,
  },
];

interface HourMove {
  readonly close: number;
  readonly low: number;
  readonly high: number;
}

/** Close, lowest and highest log price of one hour; between steps the extremes are a Brownian bridge's. */
function moveOf(sigma: number, jump: number, steps: number, random: Random): HourMove {
  const variance = (sigma * sigma) / steps;
  let close = 0;
  let low = 0;
  let high = 0;
  for (let step = 0; step < steps; step++) {
    if (jump !== 0 && step === Math.floor(steps / 2)) close += jump;
    const x = Math.sqrt(variance) * random.normal();
    const down = Math.sqrt(x * x - 2 * variance * Math.log(random.uniform()));
    const up = Math.sqrt(x * x - 2 * variance * Math.log(random.uniform()));
    low = Math.min(low, close + (x - down) / 2);
    high = Math.max(high, close + (x + up) / 2);
    close += x;
  }
  return { close, low: Math.min(low, close), high: Math.max(high, close) };
}

/** One past, what is said after it, and what the law makes of the same moment: the columns of the table. */
function compare(law: Law, random: Random): readonly number[] {
  const firstHour = FIRST_HOUR + Math.floor(168 * random.uniform());
  let h = law.firstState;
  let logPrice = 0;
  const bars = Array.from({ length: HISTORY_HOURS }, (_, t) => {
    const jump = law.jump(random);
    const { close, low, high } = moveOf(law.sigmaAt(h, firstHour + t, random), jump, STEPS_PER_HOUR, random);
    const bar = {
      openTimeMs: (firstHour + t) * HOUR_MS,
      open: Math.exp(logPrice),
      high: Math.exp(logPrice + high),
      low: Math.exp(logPrice + low),
      close: Math.exp(logPrice + close),
      volumeBase: 1,
    };
    h = law.next(h, close);
    logPrice += close;
    return bar;
  });
  const columns = barColumnsOf(bars);
  const options = { pooledSeasonality: null, peer: null, halfSpreadFraction: 0, previous: null };
  const { model } = fitVolatilityJob({ kind: "volatility", ticker: TICKER, bars: columns, options })!;
  const asset = { ticker: TICKER, bars: columns, model, state: null, volume24hUsd: 1, recalibration: 1 };
  const { rows } = drawSheetJob({ kind: "sheet", version: 1, singleAssetBlocks: 4, assets: [asset] });
  const { tails, cumulativeVariance } = rows[0]!;

  const day = new Float64Array(PATHS);
  const lows = new Float64Array(PATHS);
  let dayVariance = 0;
  let weekVariance = 0;
  for (let path = 0; path < PATHS; path++) {
    let state = h;
    let close = 0;
    let low = 0;
    for (let k = 0; k < 168; k++) {
      const jump = law.jump(random);
      // Each extreme is exact of one step, where no jump parts the hour.
      const steps = jump === 0 ? 1 : 2;
      const move = moveOf(law.sigmaAt(state, firstHour + HISTORY_HOURS + k, random), jump, steps, random);
      low = Math.min(low, close + move.low);
      close += move.close;
      state = law.next(state, move.close);
      if (k === 23) {
        day[path] = close;
        lows[path] = -low;
      }
    }
    dayVariance += day[path]! ** 2 / PATHS;
    weekVariance += close ** 2 / PATHS;
  }
  const losses = day.map((close) => -Math.expm1(close)).sort();
  lows.sort();
  const { var95, var99, expectedShortfall99 } = tails.long.horizons[2]!;
  const worst = losses.subarray(PATHS * 0.99);
  const touched = [0.2, 0.05, 0.01].map(
    (p) => touchWithin(tails.long.adversePaths, tails.sigmaDay, quantileOfSorted(lows, 1 - p), 24) / p,
  );
  return [
    Math.sqrt(cumulativeVariance[2] / dayVariance),
    Math.sqrt(cumulativeVariance[3] / weekVariance),
    (100 * losses.filter((loss) => loss > var95).length) / PATHS,
    (100 * losses.filter((loss) => loss > var99).length) / PATHS,
    expectedShortfall99 / mean(worst),
    ...touched,
  ];
}

for (const law of LAWS) {
  const found = Array.from({ length: PASTS }, (_, past) => compare(law, createRandom(1 + past)));
  const cells = found[0]!.map((_, column) => {
    const values = Float64Array.from(found, (row) => row[column]!);
    const error = Math.sqrt(populationVariance(values) / (PASTS - 1));
    return `${mean(values).toFixed(2)} ± ${error.toFixed(2)}`;
  });
  process.stdout.write(`| ${[law.name, ...cells].join(" | ")} |\n`);
}
