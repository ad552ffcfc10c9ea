import type { RecordDatabase, RecordQueries } from "./record-database.ts";

/** The curve a published calibration gives its scores by: score points over probability, two or more, both ascending. */
export interface ScoreCurve {
  readonly at: readonly number[];
  readonly value: readonly number[];
}

/** What the store holds as a calibration's curve is none: outcomes judged by it would be judged by nonsense. */
export class UnreadableCalibrationError extends Error {
  override readonly name = "UnreadableCalibrationError";
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

/** The hash of every calibration that was ever published through this store. */
export async function publishedHashes(queries: RecordQueries): Promise<ReadonlySet<string>> {
  const rows = await queries.selectFrom("calibrations").select("calibration_hash").execute();
  return new Set(rows.map((row) => row.calibration_hash));
}

/** The curve of each, by its hash. Errors: UnreadableCalibrationError. */
export async function publishedCalibrations(
  queries: RecordQueries,
): Promise<ReadonlyMap<string, ScoreCurve>> {
  const rows = await queries.selectFrom("calibrations").selectAll().execute();
  return new Map(rows.map((row) => [row.calibration_hash, curveOf(row.calibration_hash, row.score_curve)]));
}

function curveOf(calibrationHash: string, json: string): ScoreCurve {
  const fault = `the score curve of calibration ${calibrationHash} cannot be read`;
  let curve: Partial<Record<keyof ScoreCurve, unknown>> | null;
  try {
    curve = JSON.parse(json) as typeof curve;
  } catch (cause) {
    throw new UnreadableCalibrationError(fault, { cause });
  }
  const at = curve?.at;
  const value = curve?.value;
  if (!ascends(at) || !ascends(value) || at.length !== value.length) {
    throw new UnreadableCalibrationError(fault);
  }
  return { at, value };
}

function ascends(numbers: unknown): numbers is readonly number[] {
  return (
    Array.isArray(numbers) &&
    numbers.length >= 2 &&
    numbers.every(
      (number, i) => Number.isFinite(number) && (i === 0 || (number as number) > (numbers[i - 1] as number)),
    )
  );
}
