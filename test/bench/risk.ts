import { barColumnsOf, mergeBars, NO_BARS } from "../../src/domain/bar-columns.ts";
import { VolatilityTrack } from "../../src/actors/volatility-track.ts";
import { HOUR_MS } from "../../src/domain/bar.ts";
import { detachMemoryOnce } from "../../src/process/detached-memory.ts";
import { drawSheetJob, type SheetJob } from "../../src/refit/sheet-job.ts";
import { accountMarginOf } from "../../src/risk/margin/account-margin.ts";
import { monteCarlo } from "../../src/risk/tails/monte-carlo.ts";
import { assessPortfolio, portfolioDependence } from "../../src/risk/portfolio/portfolio-assessment.ts";
import { touchProbability } from "../../src/risk/scenarios/path-extremes.ts";
import type { ScenarioSheet } from "../../src/risk/scenarios/sheet.ts";
import { buildSheetDay, createSheetDayScratch } from "../../src/risk/scenarios/sheet-day.ts";
import { sheetRow } from "../../src/risk/scenarios/sheet.ts";
import { SINGLE_ASSET_BLOCKS } from "../../src/risk/scenarios/scenario-index.ts";
import { type StressedExit, valueAtRisk } from "../../src/risk/tails/var.ts";
import { accountWith, TRADED_ASSET } from "./accounts.ts";
import { type Cases, type Cost, costsOf, lastResult } from "./cost.ts";
import { fitOf, marketHistories, sheetAssets } from "./drawn-market.ts";
import { captureLiveState } from "./live-state.ts";
import { digits, markdownTable, median, printSection } from "./report.ts";

/** `npm run bench:risk`: what the models cost in the background and what a request pays to read them. */
const ASSETS = 230;
const POSITION_COUNTS = [1, 5, 20, 50];
/** Enough live assets that fifty can be held. */
const LIVE_ASSETS = 80;
const FIRST_FIT_HOURS = 750;
const FITTED = 24;

const live = await captureLiveState(LIVE_ASSETS);
const histories = marketHistories(ASSETS);
const fits = histories.slice(0, FITTED).map((history) => fitOf(history));
const fitMs = histories.slice(0, FITTED).map((history) => millisecondsOf(() => fitOf(history)));
const firstFitMs = histories
  .slice(0, FITTED)
  .map((history) => millisecondsOf(() => fitOf(history, FIRST_FIT_HOURS)));
const job = { kind: "sheet", version: 1, assets: sheetAssets(histories, fits) } as const;
const quick = drawn({ ...job, singleAssetBlocks: 1 });
const full = drawn({ ...job, singleAssetBlocks: SINGLE_ASSET_BLOCKS.value });
const { sheet } = full;
const backgroundCosts = costsOf(backgroundCases());
// As uWebSockets.js does to the thread that reads requests.
detachMemoryOnce();
const costs = [...backgroundCosts, ...costsOf({ ...lookUpCases(), ...portfolioCases() })];
if (lastResult() === undefined) throw new Error("nothing was measured");
printSection("bench:risk", [
  `On the refit worker's thread, ${ASSETS} assets with half a year of hourly bars each:`,
  "",
  markdownTable(
    ["job", "how often", "ms", "ms an asset"],
    [
      ["first fit of one asset, a month of bars", "at a cold start", digits(median(firstFitMs)), ""],
      ["fit of one asset, all bars", "once a day an asset", digits(median(fitMs)), ""],
      [`fits of ${ASSETS} assets`, "a day", digits(median(fitMs) * ASSETS), digits(median(fitMs))],
      ["quick sheet, all assets", "while models come", digits(quick.ms), digits(quick.ms / ASSETS)],
      ["full sheet, all assets", "hourly, and as sigma moves", digits(full.ms), digits(full.ms / ASSETS)],
    ],
  ),
  "",
  `The sheet: ${sheet.scenarios} scenarios of ${sheet.rows} assets.`,
  "",
  markdownTable(["part", "MB", "kB an asset"], sheetBytes(sheet)),
  "",
  `Calls on the engine's thread and on the gateway's; one asset, or an account among ${LIVE_ASSETS} assets:`,
  "",
  callTable(costs),
  "",
  "The portfolios are the account alone, on a warm cache of what does not depend on the trade; `bench:core` has them in",
  "a whole answer. Fits are of the simulator's data: real data has more awkward likelihoods, and takes up to twice as long.",
]);
process.exit(0);

function millisecondsOf(work: () => unknown): number {
  const startMs = performance.now();
  work();
  return performance.now() - startMs;
}

function drawn(sheetJob: SheetJob): { sheet: ScenarioSheet; ms: number } {
  const startMs = performance.now();
  const result = drawSheetJob(sheetJob);
  return { sheet: result.sheet, ms: performance.now() - startMs };
}

/** What the engine does as bars come. */
function backgroundCases(): Cases {
  const { bars } = histories[0]!;
  const track = new VolatilityTrack();
  const columns = barColumnsOf(bars);
  track.loadBars(columns);
  track.acceptModel(fits[0]!);
  const last = bars.at(-1)!;
  const tails = live.snapshots.assetOf(TRADED_ASSET)!.tails!;
  track.acceptTails({ tails, cumulativeVariance: [1e-5, 4e-5, 2.4e-4, 1.7e-3] });
  let openTimeMs = last.openTimeMs;
  let isUp = false;
  const logReturns = sheetRow(sheet, 0, 24, "terminal");
  const scratch = createSheetDayScratch(sheet.scenarios);
  return {
    "bar closes": () => track.closeBar({ ...last, openTimeMs: (openTimeMs += HOUR_MS) }),
    "running bar moves sigma by more than 1 %": () => {
      isUp = !isUp;
      const partial = { ...last, openTimeMs: openTimeMs + HOUR_MS, high: last.close * (isUp ? 1.08 : 1.04) };
      return track.nowcast(partial, partial.openTimeMs + HOUR_MS / 2);
    },
    "row of the sheet at a new sigma": () => buildSheetDay(logReturns, isUp ? 1.01 : 1.02, 1, scratch),
    "history of an asset into shared memory": () => mergeBars(NO_BARS, columns, bars.length),
  };
}

/** What a request reads of one asset. */
function lookUpCases(): Cases {
  const tails = live.snapshots.assetOf(TRADED_ASSET)!.tails!;
  const exit: StressedExit = {
    spreadMean: 1e-4,
    spreadDeviation: 1e-4,
    spreadMultiple95: 2,
    spreadMultiple99: 4,
    depthFactor95: 2,
    depthFactor99: 4,
    exitCostFraction: () => 1e-3,
  };
  const day = tails.long.adversePaths[2]!;
  return {
    "VaR block": () => valueAtRisk(tails, 1, 25_000, 2_500, exit),
    "Monte Carlo block": () => monteCarlo(tails, 1),
    "touch probability": () => touchProbability(day, 0.08),
  };
}

function portfolioCases(): Cases {
  const { snapshots, scenarios } = live;
  const viewOf = (ticker: string) => snapshots.assetOf(ticker);
  const cases: Record<string, () => unknown> = {};
  for (const count of POSITION_COUNTS) {
    const account = accountWith(count, live);
    const margin = accountMarginOf(account, viewOf);
    const assessed = () => assessPortfolio(account, margin, viewOf, scenarios);
    const portfolio = assessed();
    cases[`portfolio of ${count}: VaR, ES, attribution, liquidation`] = assessed;
    if (count > 1) {
      cases[`portfolio of ${count}: tail dependence of its pairs`] = () =>
        portfolioDependence(portfolio, scenarios);
    }
  }
  return cases;
}

function sheetBytes({ rows, logPaths, pools, days, index }: ScenarioSheet): string[][] {
  const parts: [string, number][] = [
    ["paths, four horizons", logPaths.byteLength],
    ["residual pools", pools.tuples.byteLength + pools.residuals.byteLength],
    ["returns of the day", days.reduce((sum, { returns }) => sum + returns.byteLength, 0)],
    ["scenario index", bytesOf(index)],
  ];
  const total = parts.reduce((sum, [, bytes]) => sum + bytes, 0);
  return [...parts, ["all", total] as const].map(([name, bytes]) => [
    name,
    digits(bytes / 2 ** 20),
    digits(bytes / 1024 / rows),
  ]);
}

function bytesOf(value: object): number {
  return Object.values(value).reduce<number>(
    (sum, part) => sum + (ArrayBuffer.isView(part) ? part.byteLength : 0),
    0,
  );
}

function callTable(rows: readonly Cost[]): string {
  return markdownTable(
    ["call", "ns", "fastest ns", "bytes"],
    rows.map(({ name, nanoseconds, fastestNanoseconds, bytes }) => [
      name,
      nanoseconds.toFixed(0),
      fastestNanoseconds.toFixed(0),
      bytes.toFixed(0),
    ]),
  );
}
