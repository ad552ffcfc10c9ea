import type { AlertSubscribers } from "../actors/alert-subscribers.ts";
import type { AlertRejection, AlertSubscribed } from "../contracts/generated/types.ts";
import { describeRequestError } from "../domain/error-description.ts";
import type { RequestError } from "../domain/errors.ts";
import { err } from "../domain/result.ts";
import { parseAlertConfig } from "../handlers/alert-config.ts";
import type { AlertSocketClient } from "../http/alerts-socket.ts";
import type { SocketConnection } from "../http/client-socket.ts";
import { alertBody } from "../response/alert-body.ts";
import type { AlertBreach, MonitoredAccount } from "../risk/alerts.ts";

/**
 * Alerts from end to end: a monitor call's findings to the actors of its wallet's subscribers, their breaches to the
 * text that each socket is sent. Text that several subscribers get alike is written once.
 */
export class AlertDesk {
  readonly #subscribers: AlertSubscribers;
  readonly #onError: (cause: unknown) => void;
  #textsOf: MonitoredAccount | null = null;
  #texts = new Map<string, string>();

  constructor(subscribers: AlertSubscribers, onError: (cause: unknown) => void) {
    this.#subscribers = subscribers;
    this.#onError = onError;
  }

  publish(monitored: MonitoredAccount): void {
    this.#subscribers.publish(monitored);
  }

  connect(client: AlertSocketClient): SocketConnection {
    const subscriber = this.#subscribers.open(
      (breaches, monitored) => client.send(breaches.map((breach) => this.#textOf(breach, monitored))),
      (cause) => {
        this.#onError(cause);
        client.fail();
      },
    );
    return {
      reply: (text) => {
        const config = text === null ? err({ code: "not_utf8" } as const) : parseAlertConfig(text);
        if (config.ok) {
          subscriber.configure(config.value);
          return JSON.stringify({ subscribed: config.value.wallet } satisfies AlertSubscribed);
        }
        return JSON.stringify({
          error: "invalid_config",
          detail: detailOf(config.error),
        } satisfies AlertRejection);
      },
      closed: () => subscriber.close(),
    };
  }

  /** One monitor call at a time is being told of; its texts are forgotten with it. */
  #textOf(breach: AlertBreach, monitored: MonitoredAccount): string {
    if (this.#textsOf !== monitored) {
      this.#textsOf = monitored;
      this.#texts = new Map();
    }
    const key = `${breach.type} ${breach.ticker ?? ""} ${breach.threshold}`;
    let text = this.#texts.get(key);
    if (text === undefined) {
      text = JSON.stringify(alertBody(breach, monitored.wallet, monitored.evaluatedAtMs));
      this.#texts.set(key, text);
    }
    return text;
  }
}

function detailOf(refusal: RequestError): string {
  if (refusal.code === "not_utf8") return "the message is not UTF-8";
  if (refusal.code === "not_json") return "the message is not JSON text";
  const { error, detail } = describeRequestError(refusal);
  return detail ?? error;
}
