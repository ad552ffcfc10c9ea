import { HORIZON_HOURS, PATH_STEPS, STEPS_WITHOUT_WEEK } from "../risk/scenarios/horizon.ts";
import {
  buildHorizonTails,
  buildTailEstimators,
  type HorizonTails,
  type TailEstimators,
} from "../risk/scenarios/horizon-tails.ts";
import { drawPaths } from "../risk/scenarios/path-kernel.ts";
import { POOL_WINDOW_HOURS, type ResidualPool } from "../risk/scenarios/residual-pool.ts";
import { buildScenarioIndex, SCENARIO_SEED, type ScenarioIndex } from "../risk/scenarios/scenario-index.ts";
import { pathsLengthOf } from "../risk/scenarios/sheet.ts";
import { dynamicsOf } from "../risk/scenarios/sheet-builder.ts";
import type { VolatilityForecast } from "../risk/volatility/volatility-forecast.ts";

interface DrawTables {
  readonly index: ScenarioIndex;
  readonly estimators: TailEstimators;
  readonly paths: Float32Array;
}

let tables: DrawTables | null = null;

/** The same for every asset and job, so built once a thread. */
function drawTables(): DrawTables {
  tables ??= {
    index: buildScenarioIndex(
      SCENARIO_SEED.value,
      POOL_WINDOW_HOURS.value,
      POOL_WINDOW_HOURS.value,
      PATH_STEPS,
    ),
    estimators: buildTailEstimators(POOL_WINDOW_HOURS.value),
    paths: new Float32Array(pathsLengthOf(POOL_WINDOW_HOURS.value)),
  };
  return tables;
}

/**
 * One asset's tails from 4096 scenarios of its own hours. A week takes seven times as long as a day and is judged once
 * a week: when it is not reached, the fourth horizon repeats the third.
 */
export function drawReplayTails(
  pool: ResidualPool,
  forecast: VolatilityForecast,
  recalibration: number,
  reachesWeek: boolean,
): HorizonTails {
  const { index, estimators, paths } = drawTables();
  const { starts: models, seasonalFactors } = forecast;
  const dynamics = dynamicsOf({ models, seasonalFactors, sigmaMultiplier: 1, recalibration }, pool);
  const horizonSteps = reachesWeek ? HORIZON_HOURS : STEPS_WITHOUT_WEEK;
  drawPaths({ pool, index, ...dynamics, horizonSteps }, paths);
  return buildHorizonTails(paths, estimators);
}
