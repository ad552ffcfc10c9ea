import { ok } from "../domain/result.ts";
import { ALERT_CONFIG_LENGTH_MAX } from "../handlers/alert-config.ts";
import {
  type SocketClient,
  type SocketConnection,
  type SocketLimits,
  UTF8_BYTES_MAX,
} from "./client-socket.ts";
import { ClientSockets, type ClientSocketsOptions } from "./client-sockets.ts";

export const ALERTS_PATH = "/v1/alerts/ws";

export const ALERT_SOCKET_LIMITS: SocketLimits = {
  socketsMax: 10_000,
  messageBytesMax: UTF8_BYTES_MAX * ALERT_CONFIG_LENGTH_MAX,
  messagesPerPingMax: 100,
  backlogBytesMax: 512 * 1024,
  backlogTotalBytesMax: 64 * 1024 * 1024,
  pingPeriodMs: 15_000,
};

/** What is done with a subscriber's socket: alerts are pushed, and none is waited for. */
export type AlertSocketClient = Pick<SocketClient, "send" | "fail">;

export type AlertConnect = (client: AlertSocketClient) => SocketConnection;

interface AlertSocketsOptions extends Omit<ClientSocketsOptions, "path" | "admit"> {
  readonly connect: AlertConnect;
}

/** GET /v1/alerts/ws: whoever comes may subscribe, without a key. */
export function alertSockets({ connect, ...options }: AlertSocketsOptions): ClientSockets {
  return new ClientSockets({ ...options, path: ALERTS_PATH, admit: () => ok({ connect }) });
}
