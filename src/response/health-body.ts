import type { AssetsHealth, HealthResponse } from "../contracts/generated/types.ts";
import type { AssetCounts, EngineStatus } from "../snapshot/engine-status.ts";
import { ageMsOf } from "../snapshot/staleness.ts";

const STATUS_AGE_MS_MAX = 5_000;
/** Share of the listed assets that may lack a volatility model, or margin terms: new listings do, but never so many at a time. */
const LACKING_SHARE_MAX = 0.25;

/** What the process knows of itself. */
export interface ServiceFacts {
  readonly engineVersion: string;
  /** By no clock that anyone sets. */
  readonly uptimeMs: number;
  readonly nowMs: number;
  readonly exchangeName: string;
  readonly isDraining: boolean;
  readonly hasBeenReady: boolean;
  /** Whether outcomes can be recorded. */
  readonly isRecordWritable: boolean;
}

/**
 * What /health says; before the engine has spoken it is starting, while it drains it is degraded. Ready and degraded at
 * once is a service that answers from fallbacks, or cannot record outcomes.
 */
export function healthBody(status: EngineStatus | null, service: ServiceFacts): HealthResponse {
  const { engineVersion, uptimeMs, nowMs, exchangeName, isDraining, hasBeenReady, isRecordWritable } =
    service;
  // The engine speaks once a second: what it said longer ago is not how things are.
  const isHeard = status !== null && ageMsOf(status.publishedAtMs, nowMs) <= STATUS_AGE_MS_MAX;
  const isLost =
    isDraining || (status !== null && !isHeard) || (hasBeenReady && status?.readiness === "starting");
  const readiness = isLost ? "degraded" : (status?.readiness ?? "starting");
  const lastMessageAtMs = status?.lastMessageAtMs ?? null;
  const assets = assetsHealth(status?.assets ?? NO_ASSETS, isHeard);
  const isWhole =
    isRecordWritable &&
    Math.max(assets.without_model, assets.close_only) <= LACKING_SHARE_MAX * assets.listed;
  return {
    status: readiness !== "ready" ? readiness : isWhole ? "ok" : "degraded",
    ready: readiness === "ready",
    engine_version: engineVersion,
    uptime_s: Math.round(uptimeMs) / 1000,
    exchange: {
      name: exchangeName,
      connected: isHeard && status.isFeedConnected,
      last_message_age_ms: lastMessageAtMs === null ? null : ageMsOf(lastMessageAtMs, nowMs),
    },
    assets,
    outcome_record: { writable: isRecordWritable },
  };
}

const NO_ASSETS: AssetCounts = {
  listed: 0,
  warming: 0,
  live: 0,
  stale: 0,
  delisted: 0,
  withoutModel: 0,
  closeOnly: 0,
};

/** What an engine that is not heard called live is stale. */
function assetsHealth(counts: AssetCounts, isHeard: boolean): AssetsHealth {
  const { listed, warming, live, stale, withoutModel, closeOnly } = counts;
  return {
    listed: listed + warming + live + stale,
    live: isHeard ? live : 0,
    stale: isHeard ? stale : stale + live,
    without_model: withoutModel,
    close_only: closeOnly,
  };
}
