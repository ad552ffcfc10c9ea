import * as fc from "fast-check";

/**
 * Property-test settings from the environment: FC_RUNS (depth, 200 by default), FC_SEED and FC_PATH (replay of
 * a printed counterexample). The gate draws the same cases every time, so that it fails for a change and not for the
 * dice; a run with its own FC_RUNS (`npm run test:deep`) draws new ones.
 */
const GATE_SEED = 20_261_120;
const runs = process.env["FC_RUNS"];
const seed = process.env["FC_SEED"] ?? (runs === undefined ? String(GATE_SEED) : undefined);
const path = process.env["FC_PATH"];

fc.configureGlobal({
  numRuns: Number(runs ?? 200),
  ...(seed === undefined ? {} : { seed: Number(seed) }),
  ...(path === undefined ? {} : { path }),
});
