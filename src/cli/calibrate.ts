import { join } from "node:path";
import { DAY_MS } from "../domain/bar.ts";
import { fitFundingForecast, type FundingFindings } from "../risk/calibration-fit/funding-fit.ts";
import { fitImpactCoefficient, type ImpactWindow } from "../risk/calibration-fit/impact-fit.ts";
import { fitRangeGarchPrior } from "../risk/calibration-fit/prior-fit.ts";
import { fitRegimeCutpoints } from "../risk/calibration-fit/regime-fit.ts";
import { fitExcursionMax, fitResidualMax } from "../risk/calibration-fit/residual-fit.ts";
import {
  fitAccountLoss,
  fitAdverseCurve,
  fitLiquidationSigmas,
} from "../risk/calibration-fit/severity-fit.ts";
import { fitPooledDaySigma, fitPooledTouch } from "../risk/calibration-fit/touch-fit.ts";
import type { CandleSeries } from "../risk/backtest/hourly-candles.ts";
import { assetsIn, readCandles } from "./backtest-candles.ts";
import { readBookHours, readEpisodes, readFundingHistories, readImpactWindows } from "./calibration-data.ts";
import { calibrationText, constantsAfter, type Findings, reportText } from "./calibration-file.ts";
import { walkForCalibration, type WalkFindings } from "./calibration-walk.ts";
import { CommandFailure, namedAssets, parsedArguments, runCommand } from "./command-failure.ts";
import { requireWritable, writeFound } from "./data-file.ts";
import { showProgress } from "./progress.ts";

/** Refits every constant that recorded data can speak for, and writes the next calibration with its evidence. */

const USAGE = `usage: npm run calibrate -- --data DIR [--out FILE] [--assets BTC,ETH]
  --data    directory with candles_1h/ and candles_1h_hyperliquid/ (ASSET.csv.gz), funding/, trades/, books/ and
            perhaps stress/, a crash after the candles' end
  --out     file for the new constants: JSON, or with the name src/risk/calibration/fitted-values.ts the module that the service
            loads. Constants whose fit is not clearly better keep their value.
  --assets  candles of these only`;

const CANDLE_FOLDERS = ["candles_1h", "candles_1h_hyperliquid"] as const;

interface Options {
  readonly directory: string;
  readonly outFile: string | null;
  readonly assets: ReadonlySet<string> | null;
}

function readOptions(): Options {
  const { values } = parsedArguments(
    { options: { data: { type: "string" }, out: { type: "string" }, assets: { type: "string" } } },
    USAGE,
  );
  if (values.data === undefined) throw new CommandFailure(`--data is missing\n${USAGE}`);
  return { directory: values.data, outFile: values.out ?? null, assets: namedAssets(values.assets) };
}

function calibrate({ directory, outFile, assets }: Options): void {
  if (outFile !== null) requireWritable(outFile, "--out");
  if (assets !== null) requireCandles(directory, assets);
  // All is read before the walk: what is missing is said at once.
  const fundings = readFundingHistories(join(directory, "funding"));
  const recorded = {
    funding: new Map(fundings.map((history) => [history.asset, history])),
    books: readBookHours(join(directory, "books")),
  };
  const windows = readImpactWindows(join(directory, "trades"), join(directory, "books"));
  const folders = CANDLE_FOLDERS.map((folder, i) => {
    const series = seriesOf(join(directory, folder), assets);
    // Scores look back 90 days: only the candles that end last reach an episode after them.
    const names = new Set(i === CANDLE_FOLDERS.length - 1 ? series.map(({ asset }) => asset) : []);
    return { folder, series, episodes: readEpisodes(join(directory, "stress"), names) };
  });
  // Data that a constant cannot be fitted on are refused before the walk of a quarter of an hour.
  const funding = fitFundingForecast(fundings);
  if (funding === null) {
    throw new CommandFailure(
      `${join(directory, "funding")} has too few hourly settlements: each half of the days after the first 30 needs one without a gap`,
    );
  }
  if (windows.length === 0) throw new CommandFailure(`${join(directory, "trades")} has no trades`);
  const walks = folders.map(({ folder, series, episodes }) => {
    const progress = showProgress(folder);
    const walk = walkForCalibration(series, episodes, recorded, progress.show);
    progress.end();
    return walk;
  });
  if (walks.every(({ cases }) => cases.length === 0))
    throw new CommandFailure("the candles of the named assets have no day that can be judged");
  const findings = findingsOf(joined(walks), funding, windows);
  console.log(reportText(findings));
  const dateIso = new Date().toISOString().slice(0, 10);
  if (outFile !== null) {
    writeFound(outFile, calibrationText(constantsAfter(findings, dateIso), outFile), "--out");
  }
}

/** Said before anything is read. Errors: CommandFailure that names the assets of which neither folder has candles. */
function requireCandles(directory: string, assets: ReadonlySet<string>): void {
  const folders = CANDLE_FOLDERS.map((folder) => join(directory, folder));
  const known = new Set(folders.flatMap(assetsIn));
  const missing = [...assets].filter((asset) => !known.has(asset));
  if (missing.length === 0) return;
  throw new CommandFailure(`neither ${folders.join(" nor ")} has candles of ${missing.join(", ")}`);
}

/** A named asset may be in the other folder alone. */
function seriesOf(directory: string, assets: ReadonlySet<string> | null): readonly CandleSeries[] {
  if (assets === null) return readCandles(directory, null);
  const there = assetsIn(directory).filter((asset) => assets.has(asset));
  return there.length === 0 ? [] : readCandles(directory, new Set(there));
}

function findingsOf(
  walk: WalkFindings,
  funding: FundingFindings,
  windows: readonly ImpactWindow[],
): Findings {
  const coinDays = [...new Map(walk.days.map((day) => [`${day.asset}/${String(day.day)}`, day])).values()];
  const span = spanOf(walk.days.map(({ day }) => day));
  const coins = String(new Set(walk.days.map(({ asset }) => asset)).size);
  const data = `hourly candles of ${coins} coins, ${span}`;
  const pooledTouch = fitPooledTouch(coinDays, `${data}, 00 UTC days`);
  return {
    fundingPersistence: funding.persistence,
    fundingMeanHours: funding.meanHours,
    impactCoefficient: fitImpactCoefficient(windows),
    regimeCutpoints: fitRegimeCutpoints(walk.regimes),
    pooledTouch,
    pooledDaySigma: fitPooledDaySigma(pooledTouch),
    liquidationSigmas: fitLiquidationSigmas(walk.excursions, walk.cases, data),
    accountLoss: fitAccountLoss(walk.excursions, walk.cases, data),
    adverseCurve: fitAdverseCurve(walk.cases, data),
    rangeGarchPrior: fitRangeGarchPrior(walk.garch, `${data}; the last half year of each`),
    residualMax: fitResidualMax(walk.moves, walk.assetHours, data),
    excursionMax: fitExcursionMax(walk.moves, walk.assetHours, data),
  };
}

function joined(parts: readonly WalkFindings[]): WalkFindings {
  return {
    regimes: parts.flatMap(({ regimes }) => regimes),
    days: parts.flatMap(({ days }) => days),
    excursions: parts.flatMap(({ excursions }) => excursions),
    cases: parts.flatMap(({ cases }) => cases),
    moves: parts.flatMap(({ moves }) => moves),
    assetHours: parts.reduce((sum, { assetHours }) => sum + assetHours, 0),
    garch: parts.flatMap(({ garch }) => garch),
  };
}

function spanOf(days: readonly number[]): string {
  const iso = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);
  let first = Infinity;
  let last = -Infinity;
  for (const day of days) {
    first = Math.min(first, day);
    last = Math.max(last, day);
  }
  return `${iso(first)} to ${iso(last)}`;
}

await runCommand(() => calibrate(readOptions()));
