import type { HealthResponse } from "../contracts/generated/types.ts";
import type { EngineStatus } from "../snapshot/engine-status.ts";

/** What the process knows of itself. */
export interface ServiceFacts {
  readonly engineVersion: string;
  readonly startedAtMs: number;
  readonly nowMs: number;
  readonly exchangeName: string;
  readonly isDraining: boolean;
}

/** What /health says; before the engine has spoken it is starting, while it drains it is degraded. */
export function healthBody(status: EngineStatus | null, service: ServiceFacts): HealthResponse {
  const { engineVersion, startedAtMs, nowMs, exchangeName, isDraining } = service;
  const readiness = isDraining ? "degraded" : (status?.readiness ?? "starting");
  const lastMessageAtMs = status?.lastMessageAtMs ?? null;
  return {
    status: readiness === "ready" ? "ok" : readiness,
    ready: readiness === "ready",
    engine_version: engineVersion,
    uptime_s: Math.max(0, (nowMs - startedAtMs) / 1000),
    exchange: {
      name: exchangeName,
      connected: status?.isFeedConnected ?? false,
      last_message_age_ms: lastMessageAtMs === null ? null : Math.max(0, nowMs - lastMessageAtMs),
    },
    assets: {
      listed:
        status === null
          ? 0
          : status.assets.listed + status.assets.warming + status.assets.live + status.assets.stale,
      live: status?.assets.live ?? 0,
      stale: status?.assets.stale ?? 0,
    },
  };
}
