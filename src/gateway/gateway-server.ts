import { availableParallelism } from "node:os";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { ALERT_SOCKET_LIMITS, type AlertConnect, alertSockets } from "../http/alerts-socket.ts";
import type { CutReason, SocketLimits } from "../http/client-socket.ts";
import { BusyPolling } from "../http/busy-polling.ts";
import { HttpServer } from "../http/http-server.ts";
import type { KeyRing } from "../http/key-ring.ts";
import { VALIDATE_SOCKET_LIMITS, VALIDATE_SOCKET_PATH, validateSockets } from "../http/validate-socket.ts";
import { CountedWarning } from "../process/counted-warning.ts";
import { endpointsOf, ROUTES, type ServiceAnswers, type TradeAnswers } from "./gateway-endpoints.ts";

const BODY_BYTES_MAX = 64 * 1024;

/** Plain data, for a thread's start: see BusyPolling. */
export interface BusyThreads {
  readonly memory: SharedArrayBuffer;
  readonly place: number;
}

export interface GatewayServerDeps {
  readonly answers: TradeAnswers & ServiceAnswers;
  readonly connectAlerts: AlertConnect;
  readonly keys: KeyRing;
  readonly tls: Config["tls"];
  readonly busyPollUs: number;
  /** What the threads that answer know of one another, and which of them this one is. */
  readonly busyThreads: BusyThreads;
  /** Threads that answer: each has its share of the sockets and of the memory that may wait to be read. */
  readonly gateways: number;
  readonly logger: Logger;
}

/** The bytes of one thread: endpoints, sockets, and what is logged of them. */
export function gatewayServer({
  answers,
  connectAlerts,
  keys,
  tls,
  busyPollUs,
  busyThreads: { memory, place },
  gateways,
  logger,
}: GatewayServerDeps): HttpServer {
  const onRequestError = (requestId: string, path: string, cause: unknown): void =>
    logger.error({ event: "request.failed", requestId, path, err: cause }, "a request failed");
  const alerts = alertSockets({
    connect: connectAlerts,
    limits: shareOf(ALERT_SOCKET_LIMITS, gateways),
    onCut: cutsLogged((facts) => logger.warn({ event: "alert.cut", ...facts }, "alert clients were cut off")),
    onInternalError: (cause) =>
      logger.error({ event: "alert.failed", err: cause }, "an alert subscriber failed"),
  });
  const validations = validateSockets({
    keys,
    endpoint: { ...ROUTES.validate, answer: answers.validate },
    limits: shareOf(VALIDATE_SOCKET_LIMITS, gateways),
    onCut: cutsLogged((facts) =>
      logger.warn({ event: "validate.cut", ...facts }, "validate clients were cut off"),
    ),
    onInternalError: (cause) => onRequestError("", VALIDATE_SOCKET_PATH, cause),
    onFailure: (requestId, cause) => onRequestError(requestId, VALIDATE_SOCKET_PATH, cause),
  });
  return new HttpServer({
    endpoints: endpointsOf(answers),
    sockets: [alerts, validations],
    keys,
    bodyBytesMax: BODY_BYTES_MAX,
    tls,
    polling:
      busyPollUs === 0 ? null : new BusyPolling(busyPollUs / 1e3, availableParallelism(), memory, place),
    onInternalError: onRequestError,
  });
}

/** One line for many clients: whoever may connect could fill the log otherwise. */
function cutsLogged(
  warn: (facts: { readonly reason: CutReason; readonly clients: number }) => void,
): (reason: CutReason) => void {
  const warningOf = (reason: CutReason): CountedWarning =>
    new CountedWarning((clients) => warn({ reason, clients }));
  const warnings = {
    slow: warningOf("slow"),
    flooding: warningOf("flooding"),
    no_room: warningOf("no_room"),
  } as const satisfies Record<CutReason, CountedWarning>;
  return (reason) => warnings[reason].note();
}

function shareOf(limits: SocketLimits, gateways: number): SocketLimits {
  return {
    ...limits,
    socketsMax: Math.ceil(limits.socketsMax / gateways),
    backlogTotalBytesMax: Math.ceil(limits.backlogTotalBytesMax / gateways),
  };
}
