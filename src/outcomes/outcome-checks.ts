import { type Selectable, sql } from "kysely";
import type { OutcomeCheck, PriceFinding } from "../domain/trade-outcome.ts";
import {
  bumpRevision,
  type OutcomesTable,
  type RecordDatabase,
  type RecordQueries,
} from "./record-database.ts";

/**
 * Keeps checks by sequence number, in one durable write; the first of an outcome stands. One statement, so that no
 * recording waits for hundreds. Shapes: at most OUTCOMES_PER_COMMIT_MAX checks.
 */
export async function keepChecks(
  database: RecordDatabase,
  checks: ReadonlyMap<number, OutcomeCheck>,
): Promise<void> {
  if (checks.size === 0) return;
  const rows = [...checks].map(
    ([sequence, { prices, var99Fraction }]) =>
      sql`(cast(${sequence} as bigint), cast(${prices} as text), cast(${var99Fraction} as double precision))`,
  );
  await database.write(async (queries) => {
    await sql`
      update outcomes set price_finding = found.column2, var_99_fraction = found.column3
      from (values ${sql.join(rows)}) as found
      where outcomes.seq = found.column1 and outcomes.price_finding is null`.execute(queries);
    await bumpRevision(queries, "checks");
  });
}

/** Checks that were made of these outcomes. Shapes: at most OUTCOMES_PER_COMMIT_MAX sequence numbers. */
export async function checksOf(
  queries: RecordQueries,
  sequences: readonly number[],
): Promise<ReadonlyMap<number, OutcomeCheck>> {
  const rows = await queries
    .selectFrom("outcomes")
    .select(["seq", "price_finding", "var_99_fraction"])
    .where("seq", "in", sequences)
    .where("price_finding", "is not", null)
    .execute();
  return new Map(rows.map((row) => [row.seq, checkOf(row)!]));
}

/** The check in a row; null where none was made. */
export function checkOf(
  row: Pick<Selectable<OutcomesTable>, "price_finding" | "var_99_fraction">,
): OutcomeCheck | null {
  // The column's check holds it to the three findings.
  return row.price_finding === null
    ? null
    : { prices: row.price_finding as PriceFinding, var99Fraction: row.var_99_fraction };
}
