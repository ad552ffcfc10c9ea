import type { BacktestResponse } from "../contracts/generated/types.ts";
import type { RequestError } from "../domain/errors.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { backtestBody } from "../response/backtest-body.ts";
import { isBeingRead } from "../snapshot/asset-snapshot.ts";
import type { SnapshotStore } from "../snapshot/snapshot-store.ts";
import { startingErrorOf } from "./readiness.ts";

/**
 * GET /v1/backtest/{asset}. A name without volatility data has nothing to be tested: the detail says why.
 *
 * Errors:  starting_up; not_found
 */
export function handleAssetBacktest(
  name: string,
  snapshots: SnapshotStore,
  nowMs: number,
): Result<BacktestResponse, RequestError> {
  const starting = startingErrorOf(snapshots);
  if (starting !== undefined) return err(starting);
  const snapshot = snapshots.assetOf(name);
  const notFound = (detail: string): Result<never, RequestError> => err({ code: "not_found", detail });
  if (snapshot === undefined) return notFound(`no volatility data: invalid asset: ${name}`);
  const diagnostics = snapshots.diagnosticsOf(name);
  if (diagnostics !== undefined) return ok(backtestBody(name, diagnostics, nowMs));
  if (snapshot.lifecycle === "delisted") return notFound(`no volatility data: asset ${name} is delisted`);
  if (snapshot.volatility === null) {
    const reason = isBeingRead(snapshot.lifecycle) ? "is still being read" : "is too short";
    return notFound(`no volatility data of ${name} yet: its history ${reason}`);
  }
  return ok(backtestBody(name, null, nowMs));
}
