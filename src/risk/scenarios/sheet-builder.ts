import { DAY_HOURS } from "../../domain/bar.ts";
import { sharedBlock } from "../../domain/shared-memory.ts";
import { invariant } from "../../math/invariant.ts";
import type { AssetTails } from "../tails/var.ts";
import { buildAssetTails, extremesLengthOf } from "./asset-tails.ts";
import { HORIZON_HOURS, horizonIndex, PATH_STEPS } from "./horizon.ts";
import type { TailEstimators } from "./horizon-tails.ts";
import { buildTailEstimators } from "./horizon-tails.ts";
import type { PathModel } from "./path-kernel.ts";
import { drawPaths, PATH_FACTS } from "./path-kernel.ts";
import { buildResidualPools } from "./residual-borrowing.ts";
import type { AssetHistory, ResidualPool } from "./residual-pool.ts";
import { TUPLE_LENGTH } from "./residual-pool.ts";
import type { ScenarioIndex } from "./scenario-index.ts";
import { buildScenarioIndex } from "./scenario-index.ts";
import type { RowDynamics, ScenarioSheet, SheetBuffers } from "./sheet.ts";
import { createSheetBuffers, pathsLengthOf } from "./sheet.ts";
import { buildSheetDay, createSheetDayScratch, type SheetDay, type SheetDayScratch } from "./sheet-day.ts";
import { recalibratedFactors } from "./sigma-recalibration.ts";
import { stationaryModels } from "./stationary-recursion.ts";

/** One asset's part of a refresh: plain typed arrays, fit to be posted to a worker. */
export interface SheetAsset {
  readonly history: AssetHistory;
  /** Share in the market residual and rank as a donor, for example 24 h volume in USD. */
  readonly liquidityWeight: number;
  /** The models now; several share the scenarios equally. */
  readonly models: readonly PathModel[];
  /** Seasonal factor of each of the coming 168 hours. */
  readonly seasonalFactors: Float64Array;
  /** For what a short history does not show, in every hour. */
  readonly sigmaMultiplier: number;
  /** What the asset's record of forecasts has taught, in the hours that it holds for. */
  readonly recalibration: number;
}

export interface SheetInputs {
  readonly version: number;
  readonly seed: number;
  /** Blocks of joint size behind the numbers of a single asset. */
  readonly singleAssetBlocks: number;
  /** Where the window's oldest hour stands in every history. */
  readonly oldestPlace: number;
  /** Every history covers the same window. */
  readonly assets: readonly SheetAsset[];
}

export interface BuiltSheet {
  readonly sheet: ScenarioSheet;
  /** One per row. */
  readonly tails: readonly AssetTails[];
  /** One per row, on the sheet's memory. */
  readonly pools: readonly ResidualPool[];
}

/** What draws of one seed and size share, and their working memory: built once by who draws more than once. */
export interface SheetTables {
  /** All blocks; the sheet's index is its first block. */
  readonly index: ScenarioIndex;
  readonly estimators: TailEstimators;
  /** Paths of one asset at a time, all blocks. */
  readonly paths: Float32Array;
  readonly dayScratch: SheetDayScratch;
}

export function createSheetTables(seed: number, windowHours: number, singleAssetBlocks: number): SheetTables {
  const scenarios = windowHours * singleAssetBlocks;
  return {
    index: buildScenarioIndex(seed, windowHours, scenarios, PATH_STEPS),
    estimators: buildTailEstimators(scenarios),
    paths: new Float32Array(pathsLengthOf(scenarios)),
    dayScratch: createSheetDayScratch(windowHours),
  };
}

/**
 * The whole refresh: a pure function of its inputs, bit for bit.
 *
 * Shapes:  tables are of the inputs' seed, window and blocks; horizonSteps as in a draw of paths, one per horizon
 */
export function buildScenarioSheet(
  inputs: SheetInputs,
  tables: SheetTables = createSheetTables(inputs.seed, windowHoursOf(inputs), inputs.singleAssetBlocks),
  horizonSteps: readonly number[] = HORIZON_HOURS,
): BuiltSheet {
  const { version, assets } = inputs;
  const { index, paths } = tables;
  const windowHours = windowHoursOf(inputs);
  const buffers = createSheetBuffers(assets.length, windowHours);
  const parts = createRowParts(assets.length, windowHours, index.scenarios);
  const liquidityWeights = assets.map(({ liquidityWeight }) => liquidityWeight);
  const histories = assets.map(({ history }) => history);
  const pools = buildResidualPools(histories, liquidityWeights, buffers.pools.tuples);
  const dynamics = assets.map((asset, row) => dynamicsOf(asset, pools[row]!));
  const days: SheetDay[] = [];
  const tails = pools.map((pool, row) => {
    const drawn = drawAssetTails(pool, dynamics[row]!, tables, horizonSteps, parts[row]!.depths);
    keepFirstBlock(buffers, row, pool, tables, inputs.oldestPlace);
    const dayAt = horizonIndex(DAY_HOURS) * PATH_FACTS.length * index.scenarios;
    const dayLogReturns = paths.subarray(dayAt, dayAt + windowHours);
    days.push(buildSheetDay(dayLogReturns, 1, version, tables.dayScratch, parts[row]!.dayReturns));
    return drawn;
  });
  buffers.hours.set(index.hours.subarray(0, windowHours * index.steps));
  const sheet = {
    version,
    rows: assets.length,
    scenarios: windowHours,
    windowHours,
    logPaths: buffers.logPaths,
    days,
    pools: buffers.pools,
    index: {
      windowHours,
      scenarios: windowHours,
      steps: index.steps,
      hours: buffers.hours,
    },
    dynamics,
  };
  return { sheet, tails, pools };
}

/** Draws one asset's paths into the tables' memory and reads its tails there. */
export function drawAssetTails(
  pool: ResidualPool,
  { models, sigmaFactors }: RowDynamics,
  { index, estimators, paths }: SheetTables,
  horizonSteps: readonly number[],
  depths?: Float32Array,
): AssetTails {
  drawPaths({ pool, index, models, sigmaFactors, horizonSteps }, paths);
  return buildAssetTails(paths, estimators, depths);
}

/** What each row's tails and day take, in one block. Shapes: room for the depths of both sides, and for a day's returns */
function createRowParts(
  rows: number,
  windowHours: number,
  scenarios: number,
): { readonly depths: Float32Array; readonly dayReturns: Float32Array }[] {
  const depthsLength = extremesLengthOf(scenarios);
  const length = depthsLength + windowHours;
  const bytes = sharedBlock(rows * length * Float32Array.BYTES_PER_ELEMENT);
  const numbers = new Float32Array(bytes, 0, rows * length);
  return Array.from({ length: rows }, (_, row) => {
    const part = numbers.subarray(row * length, (row + 1) * length);
    return { depths: part.subarray(0, depthsLength), dayReturns: part.subarray(depthsLength) };
  });
}

/** How an asset's paths move. */
export function dynamicsOf(
  {
    models,
    seasonalFactors,
    sigmaMultiplier,
    recalibration,
  }: Omit<SheetAsset, "history" | "liquidityWeight">,
  pool: ResidualPool,
): RowDynamics {
  invariant(seasonalFactors.length >= PATH_STEPS, "a seasonal factor for every simulated hour");
  return {
    models: stationaryModels(models, pool),
    sigmaFactors: recalibratedFactors(
      seasonalFactors.map((factor) => factor * sigmaMultiplier),
      recalibration,
    ),
  };
}

/** The joint part of what was drawn of a row. */
function keepFirstBlock(
  { logPaths, pools: { residuals } }: SheetBuffers,
  row: number,
  { windowHours, tuples }: ResidualPool,
  { index, paths }: SheetTables,
  oldestPlace: number,
): void {
  const vectors = HORIZON_HOURS.length * PATH_FACTS.length;
  const rowAt = row * pathsLengthOf(windowHours);
  for (let vector = 0; vector < vectors; vector++) {
    const from = vector * index.scenarios;
    logPaths.set(paths.subarray(from, from + windowHours), rowAt + vector * windowHours);
  }
  for (let age = 0; age < windowHours; age++) {
    const place = (oldestPlace + age) % windowHours;
    residuals[row * windowHours + age] = tuples[place * TUPLE_LENGTH]!;
  }
}

function windowHoursOf({ assets }: SheetInputs): number {
  const windowHours = assets[0]?.history.isPresent.length ?? 0;
  invariant(windowHours > 0, "a sheet is built of at least one asset with a window");
  return windowHours;
}
