import type { HealthResponse } from "../contracts/generated/types.ts";
import type { EngineStatus } from "../snapshot/engine-status.ts";

const STATUS_AGE_MS_MAX = 5_000;
/** Share of the listed assets that may lack a volatility model: new listings do, but never so many at a time. */
const WITHOUT_MODEL_SHARE_MAX = 0.25;

/** What the process knows of itself. */
export interface ServiceFacts {
  readonly engineVersion: string;
  readonly startedAtMs: number;
  readonly nowMs: number;
  readonly exchangeName: string;
  readonly isDraining: boolean;
  readonly hasBeenReady: boolean;
}

/**
 * What /health says; before the engine has spoken it is starting, while it drains it is degraded. Ready and degraded at
 * once is a service that answers from fallbacks.
 */
export function healthBody(status: EngineStatus | null, service: ServiceFacts): HealthResponse {
  const { engineVersion, startedAtMs, nowMs, exchangeName, isDraining, hasBeenReady } = service;
  // The engine speaks once a second: what it said longer ago is not how things are.
  const isHeard = status !== null && nowMs - status.publishedAtMs <= STATUS_AGE_MS_MAX;
  const isLost =
    isDraining || (status !== null && !isHeard) || (hasBeenReady && status?.readiness === "starting");
  const readiness = isLost ? "degraded" : (status?.readiness ?? "starting");
  const lastMessageAtMs = status?.lastMessageAtMs ?? null;
  const live = isHeard ? status.assets.live : 0;
  const listed =
    status === null
      ? 0
      : status.assets.listed + status.assets.warming + status.assets.live + status.assets.stale;
  const withoutModel = status?.assets.withoutModel ?? 0;
  const isModelled = withoutModel <= WITHOUT_MODEL_SHARE_MAX * listed;
  return {
    status: readiness === "ready" ? (isModelled ? "ok" : "degraded") : readiness,
    ready: readiness === "ready",
    engine_version: engineVersion,
    uptime_s: Math.max(0, (nowMs - startedAtMs) / 1000),
    exchange: {
      name: exchangeName,
      connected: isHeard && status.isFeedConnected,
      last_message_age_ms: lastMessageAtMs === null ? null : Math.max(0, nowMs - lastMessageAtMs),
    },
    assets: {
      listed,
      live,
      stale: status === null ? 0 : status.assets.stale + status.assets.live - live,
      without_model: withoutModel,
    },
  };
}
