import type { Logger } from "pino";
import { ALERT_WAITING_MAX, AlertSubscribers } from "./actors/alert-subscribers.ts";
import { AlertDesk } from "./alert-desk.ts";
import type { Config } from "./config.ts";
import { SYSTEM_CLOCK } from "./domain/clock.ts";
import { ok, type Result } from "./domain/result.ts";
import type { RequestError } from "./domain/errors.ts";
import type { WalletSource } from "./domain/wallet-source.ts";
import { handleAccuracy } from "./handlers/accuracy.ts";
import { handleAssetBacktest } from "./handlers/asset-backtest.ts";
import { handleAssets } from "./handlers/assets.ts";
import { handleCalibrationHealth } from "./handlers/calibration-health.ts";
import { handleHealth } from "./handlers/health.ts";
import { handleModelInfo } from "./handlers/model-info.ts";
import { handleMonitor } from "./handlers/monitor.ts";
import { handleOutcome } from "./handlers/outcome.ts";
import { handleOutcomesStats, type OutcomeStatisticsSource } from "./handlers/outcomes-stats.ts";
import type { AssessmentDeps } from "./handlers/trade-assessment.ts";
import { handleValidate } from "./handlers/validate.ts";
import { handleValidateBatch } from "./handlers/validate-batch.ts";
import { ALERT_SOCKET_LIMITS, alertSockets } from "./http/alerts-socket.ts";
import type { ApiAnswer, Endpoint } from "./http/endpoint.ts";
import { HttpServer } from "./http/http-server.ts";
import type { KeyRing } from "./http/key-ring.ts";
import { VALIDATE_SOCKET_LIMITS, VALIDATE_SOCKET_PATH, validateSockets } from "./http/validate-socket.ts";
import type { OutcomeRecorder } from "./outcomes/outcome-recorder.ts";
import { batchJson, jsonWithLatency, monitorJson } from "./response/json-text.ts";
import type { AccuracyReport } from "./risk/backtest/accuracy-report.ts";
import { CALIBRATION_HASH } from "./risk/calibration-hash.ts";
import {
  createPortfolioScratch,
  type PortfolioScratch,
  type ScenarioAccess,
} from "./risk/portfolio-assessment.ts";
import type { SnapshotStore } from "./snapshot/snapshot-store.ts";
import { WALLET_STORE_DEFAULTS, WalletStore } from "./snapshot/wallet-store.ts";

const MAXIMUM_BODY_BYTES = 64 * 1024;

export interface GatewayDeps {
  readonly config: Pick<Config, "host" | "port" | "tls">;
  readonly engineVersion: string;
  readonly exchangeName: string;
  readonly keys: KeyRing;
  readonly snapshots: SnapshotStore;
  readonly walletSource: WalletSource;
  readonly records: OutcomeRecorder & OutcomeStatisticsSource & { readonly accuracy: AccuracyReport | null };
  readonly logger: Logger;
}

export interface Gateway {
  readonly port: number;
  /** Answers "not ready" from now on, finishes what is in flight, closes. */
  close(): Promise<void>;
}

/**
 * The reading half in one screen: 1. what is read: snapshots, wallets, scenarios; 2. an endpoint per handler;
 * 3. bytes.
 */
export async function startGateway(deps: GatewayDeps): Promise<Gateway> {
  const { config, snapshots, engineVersion, exchangeName, logger } = deps;
  const startedAtMs = SYSTEM_CLOCK.nowMs();
  let isDraining = false;

  // 1. What is read.
  const wallets = new WalletStore({
    ...WALLET_STORE_DEFAULTS,
    source: deps.walletSource,
    clock: SYSTEM_CLOCK,
  });
  const assessmentDeps: AssessmentDeps = {
    snapshots,
    wallets,
    clock: SYSTEM_CLOCK,
    scenarios: scenarioReader(snapshots),
    modelVersion: { engine_version: engineVersion, calibration_hash: CALIBRATION_HASH },
  };

  const onAlertError = (cause: unknown): void =>
    logger.error({ event: "alert.failed", err: cause }, "an alert subscriber failed");
  const subscribers = new AlertSubscribers({ defer: setImmediate, waitingMax: ALERT_WAITING_MAX });
  const alertDesk = new AlertDesk(subscribers, onAlertError);
  const monitorDeps = { ...assessmentDeps, onMonitored: alertDesk.publish.bind(alertDesk) };

  // 2. An endpoint per handler.
  const validate: Endpoint = {
    method: "POST",
    path: "/v1/validate",
    isPublic: false,
    answer: ({ body, requestId, receivedAtMs }) => {
      const elapsedMs = (): number => performance.now() - receivedAtMs;
      const result = handleValidate(body, requestId, assessmentDeps);
      return result instanceof Promise
        ? result.then((late) => mapped(late, (value) => jsonWithLatency(value, elapsedMs)))
        : mapped(result, (value) => jsonWithLatency(value, elapsedMs));
    },
  };
  const endpoints: Endpoint[] = [
    validate,
    {
      method: "GET",
      path: "/health",
      isPublic: true,
      answer: () => {
        const nowMs = SYSTEM_CLOCK.nowMs();
        const service = {
          engineVersion,
          startedAtMs,
          nowMs,
          exchangeName,
          isDraining,
          hasBeenReady: snapshots.hasBeenReady,
        };
        const { isReady, body } = handleHealth(snapshots, service);
        return ok({
          json: () => JSON.stringify(body),
          ...(!isReady && { statusLine: "503 Service Unavailable" }),
        });
      },
    },
    {
      method: "POST",
      path: "/v1/validate/batch",
      isPublic: false,
      answer: ({ body, requestId, receivedAtMs }) => {
        const elapsedMs = (): number => performance.now() - receivedAtMs;
        const result = handleValidateBatch(body, { requestId, elapsedMs }, assessmentDeps);
        return result instanceof Promise
          ? result.then((late) => mapped(late, batchJson))
          : mapped(result, batchJson);
      },
    },
    {
      method: "GET",
      path: "/v1/monitor/:wallet",
      isPublic: false,
      answer: ({ parameter }) => {
        const result = handleMonitor(parameter, monitorDeps);
        return result instanceof Promise
          ? result.then((late) => mapped(late, monitorJson))
          : mapped(result, monitorJson);
      },
    },
    {
      method: "GET",
      path: "/v1/assets",
      isPublic: false,
      answer: () => mapped(handleAssets(snapshots), JSON.stringify),
    },
    {
      method: "GET",
      path: "/v1/model-info",
      isPublic: false,
      answer: () => ok({ json: () => JSON.stringify(handleModelInfo(snapshots, engineVersion)) }),
    },
    {
      method: "GET",
      path: "/v1/calibration/health",
      isPublic: false,
      answer: () => mapped(handleCalibrationHealth(snapshots, SYSTEM_CLOCK.nowMs()), JSON.stringify),
    },
    {
      method: "GET",
      path: "/v1/backtest/:asset",
      isPublic: false,
      answer: ({ parameter }) =>
        mapped(handleAssetBacktest(parameter, snapshots, SYSTEM_CLOCK.nowMs()), JSON.stringify),
    },
    {
      method: "POST",
      path: "/v1/outcome",
      isPublic: false,
      answer: async ({ body, keyId }) =>
        mapped(await handleOutcome(body, keyId, { snapshots, recorder: deps.records }), JSON.stringify),
    },
    {
      method: "GET",
      path: "/v1/outcomes/stats",
      isPublic: false,
      answer: async () => mapped(await handleOutcomesStats(deps.records), JSON.stringify),
    },
    {
      method: "GET",
      path: "/v1/accuracy",
      isPublic: false,
      answer: () => mapped(handleAccuracy(deps.records.accuracy), JSON.stringify),
    },
  ];

  // 3. Bytes.
  const alerts = alertSockets({
    connect: (client) => alertDesk.connect(client),
    limits: ALERT_SOCKET_LIMITS,
    onCut: (reason) => logger.warn({ event: "alert.cut", reason }, "an alert client was cut off"),
    onInternalError: onAlertError,
  });
  const onRequestError = (requestId: string, path: string, cause: unknown): void =>
    logger.error({ event: "request.failed", requestId, path, err: cause }, "a request failed");
  const validations = validateSockets({
    keys: deps.keys,
    endpoint: validate,
    limits: VALIDATE_SOCKET_LIMITS,
    onCut: (reason) => logger.warn({ event: "validate.cut", reason }, "a validate client was cut off"),
    onInternalError: (cause) => onRequestError("", VALIDATE_SOCKET_PATH, cause),
    onFailure: (requestId, cause) => onRequestError(requestId, VALIDATE_SOCKET_PATH, cause),
  });
  const server = new HttpServer({
    endpoints,
    sockets: [alerts, validations],
    keys: deps.keys,
    maximumBodyBytes: MAXIMUM_BODY_BYTES,
    tls: config.tls,
    onInternalError: onRequestError,
  });
  const port = await server.listen(config.host, config.port);
  return {
    port,
    async close() {
      isDraining = true;
      await server.close();
      wallets.close();
    },
  };
}

/** The current sheet with this thread's working memory, made anew only when the sheet's size changes. */
function scenarioReader(snapshots: SnapshotStore): () => ScenarioAccess | null {
  let access: ScenarioAccess | null = null;
  let scratch: PortfolioScratch | null = null;
  let size = "";
  return () => {
    const { sheet } = snapshots;
    if (sheet === null || access?.sheet === sheet) return access;
    const newSize = `${sheet.scenarios} ${sheet.windowHours}`;
    if (scratch === null || size !== newSize) scratch = createPortfolioScratch(sheet);
    size = newSize;
    access = { sheet, scratch };
    return access;
  };
}

function mapped<T>(
  result: Result<T, RequestError>,
  render: (value: T) => string | Uint8Array,
): Result<ApiAnswer, RequestError> {
  return result.ok ? ok({ json: () => render(result.value) }) : result;
}
