import { SYSTEM_CLOCK } from "../domain/clock.ts";
import type { RequestError } from "../domain/errors.ts";
import { ok, type Result } from "../domain/result.ts";
import { handleAccuracy } from "../handlers/accuracy.ts";
import { handleAssetBacktest } from "../handlers/asset-backtest.ts";
import { handleAssets } from "../handlers/assets.ts";
import { handleCalibrationHealth } from "../handlers/calibration-health.ts";
import { handleHealth } from "../handlers/health.ts";
import { handleModelInfo } from "../handlers/model-info.ts";
import { handleMonitor, type MonitorDeps } from "../handlers/monitor.ts";
import { handleOutcome } from "../handlers/outcome.ts";
import { handleOutcomesStats, type OutcomeStatisticsSource } from "../handlers/outcomes-stats.ts";
import type { AssessmentDeps } from "../handlers/trade-assessment.ts";
import { handleValidateBatch } from "../handlers/validate-batch.ts";
import { handleValidate } from "../handlers/validate.ts";
import type { AnswerText, Endpoint } from "../http/endpoint.ts";
import type { OutcomeRecorder } from "../outcomes/outcome-recorder.ts";
import type { ServiceFacts } from "../response/health-body.ts";
import { answerJson, batchJson, monitorJson } from "../response/json-text.ts";

/** Every endpoint; the sockets are beside them in gateway-server.ts. */
export const ROUTES = {
  validate: { method: "POST", path: "/v1/validate", isPublic: false },
  validateBatch: { method: "POST", path: "/v1/validate/batch", isPublic: false },
  health: { method: "GET", path: "/health", isPublic: true },
  monitor: { method: "GET", path: "/v1/monitor/:wallet", isPublic: false },
  assets: { method: "GET", path: "/v1/assets", isPublic: false },
  modelInfo: { method: "GET", path: "/v1/model-info", isPublic: false },
  calibrationHealth: { method: "GET", path: "/v1/calibration/health", isPublic: false },
  backtest: { method: "GET", path: "/v1/backtest/:asset", isPublic: false },
  outcome: { method: "POST", path: "/v1/outcome", isPublic: false },
  outcomesStats: { method: "GET", path: "/v1/outcomes/stats", isPublic: false },
  accuracy: { method: "GET", path: "/v1/accuracy", isPublic: false },
} as const satisfies Record<string, Omit<Endpoint, "answer">>;

type RouteName = keyof typeof ROUTES;
/** Answered on the thread that has read the request. */
type TradeRoute = "validate" | "validateBatch";
/** Answered on the main thread, whichever has read the request. */
export type ServiceRoute = Exclude<RouteName, TradeRoute>;

type Answer = Endpoint["answer"];
export type TradeAnswers = Readonly<Record<TradeRoute, Answer>>;
export type ServiceAnswers = Readonly<Record<ServiceRoute, Answer>>;

export const SERVICE_ROUTES = (Object.keys(ROUTES) as RouteName[]).filter(
  (name): name is ServiceRoute => name !== "validate" && name !== "validateBatch",
);

export function endpointsOf(answers: TradeAnswers & ServiceAnswers): readonly Endpoint[] {
  return (Object.keys(ROUTES) as RouteName[]).map((name) => ({ ...ROUTES[name], answer: answers[name] }));
}

/** What is asked thousands of times a second. */
export function tradeAnswers(deps: AssessmentDeps): TradeAnswers {
  return {
    validate: ({ body, requestId, receivedAtMs }) => {
      const elapsedMs = (): number => performance.now() - receivedAtMs;
      return rendered(handleValidate(body, requestId, deps), (trade) => answerJson(trade, elapsedMs));
    },
    validateBatch: ({ body, requestId, receivedAtMs, reply }) => {
      const elapsedMs = (): number => performance.now() - receivedAtMs;
      const isAbandoned = (): boolean => reply?.isDone ?? false;
      return rendered(handleValidateBatch(body, { requestId, elapsedMs, isAbandoned }, deps), batchJson);
    },
  };
}

export interface ServiceAnswerDeps {
  readonly assessment: AssessmentDeps & Pick<MonitorDeps, "onMonitored">;
  readonly service: () => ServiceFacts;
  readonly records: OutcomeRecorder & OutcomeStatisticsSource;
}

export function serviceAnswers({ assessment, service, records }: ServiceAnswerDeps): ServiceAnswers {
  const { snapshots, modelVersion } = assessment;
  const untold = { ...assessment, onMonitored: () => undefined };
  return {
    health: () => {
      const body = handleHealth(snapshots, service());
      return ok({
        json: () => JSON.stringify(body),
        ...(!body.ready && { statusLine: "503 Service Unavailable" }),
      });
    },
    monitor: ({ parameter, isHead }) =>
      rendered(handleMonitor(parameter, isHead ? untold : assessment), monitorJson),
    assets: () => rendered(handleAssets(snapshots), JSON.stringify),
    modelInfo: () =>
      ok({ json: () => JSON.stringify(handleModelInfo(snapshots, modelVersion.engine_version)) }),
    calibrationHealth: () =>
      rendered(handleCalibrationHealth(snapshots, SYSTEM_CLOCK.nowMs()), JSON.stringify),
    backtest: ({ parameter }) =>
      rendered(handleAssetBacktest(parameter, snapshots, SYSTEM_CLOCK.nowMs()), JSON.stringify),
    outcome: ({ body, keyId }) =>
      rendered(handleOutcome(body, keyId, { snapshots, recorder: records }), JSON.stringify),
    outcomesStats: () => rendered(handleOutcomesStats(records), JSON.stringify),
    accuracy: () => rendered(handleAccuracy(records.accuracy), JSON.stringify),
  };
}

/** The answer with its text to be made; at once where the result is there at once. */
function rendered<T>(
  result: Result<T, RequestError> | Promise<Result<T, RequestError>>,
  render: (value: T) => AnswerText,
): ReturnType<Answer> {
  if (result instanceof Promise) return result.then((late) => rendered(late, render));
  return result.ok ? ok({ json: () => render(result.value) }) : result;
}
