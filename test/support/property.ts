import * as fc from "fast-check";

/**
 * Property-test settings from the environment: FC_RUNS (depth, 200 by default), FC_SEED and FC_PATH (replay of
 * a printed counterexample).
 */
const seed = process.env["FC_SEED"];
const path = process.env["FC_PATH"];

fc.configureGlobal({
  numRuns: Number(process.env["FC_RUNS"] ?? 200),
  ...(seed === undefined ? {} : { seed: Number(seed) }),
  ...(path === undefined ? {} : { path }),
});
