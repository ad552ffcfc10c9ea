import type { RecordDatabase, RecordQueries } from "./record-database.ts";

/** The curve a published calibration gives its scores by: score points over probability. */
export interface ScoreCurve {
  readonly at: readonly number[];
  readonly value: readonly number[];
}

/** Remembers a calibration and what its scores mean, so that its outcomes can be judged after it is gone. */
export async function publishCalibration(
  database: RecordDatabase,
  calibrationHash: string,
  curve: ScoreCurve,
  nowMs: number,
): Promise<void> {
  await database.write(async (queries) => {
    await queries
      .insertInto("calibrations")
      .values({
        calibration_hash: calibrationHash,
        score_curve: JSON.stringify({ at: curve.at, value: curve.value }),
        published_at_ms: nowMs,
      })
      .onConflict((conflict) => conflict.column("calibration_hash").doNothing())
      .execute();
  });
}

/** Every calibration that was ever published through this store, by its hash. */
export async function publishedCalibrations(
  queries: RecordQueries,
): Promise<ReadonlyMap<string, ScoreCurve>> {
  const rows = await queries.selectFrom("calibrations").selectAll().execute();
  return new Map(rows.map((row) => [row.calibration_hash, JSON.parse(row.score_curve) as ScoreCurve]));
}
