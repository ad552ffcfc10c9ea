import type { RequestError } from "../domain/errors.ts";
import type { WalletAddress } from "../domain/ids.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { ApiAnswer, ApiRequest } from "../http/endpoint.ts";
import { outcomeReportOf } from "../handlers/outcome.ts";
import { PendingReplies } from "../process/pending-replies.ts";
import type { WalletAnswer } from "../snapshot/wallet-mirror.ts";
import { AlertRelay } from "./alert-relay.ts";
import { SERVICE_ROUTES, type ServiceAnswers, type ServiceRoute } from "./gateway-endpoints.ts";
import type { GatewayOrder, GatewayReport, MadeAnswer } from "./gateway-messages.ts";

/** Below the 10 s that any answer may take, above what the main thread itself waits for others. */
const ANSWER_TIMEOUT_MS = 9_000;
const NO_WALLET_ANSWER: WalletAnswer = {
  newest: null,
  failure: { code: "timeout", detail: "the main thread does not answer" },
};

/** What a gateway thread has the main thread answer: everything but trades. Whatever happens there, an answer comes. */
export class ServiceClient {
  readonly alerts: AlertRelay;
  readonly #post: (report: GatewayReport) => void;
  readonly #answers = new PendingReplies<Result<MadeAnswer, RequestError>>(ANSWER_TIMEOUT_MS);
  readonly #wallets = new PendingReplies<WalletAnswer>(ANSWER_TIMEOUT_MS);

  #onAlertsTold: () => void = () => undefined;

  constructor(post: (report: GatewayReport) => void) {
    this.#post = post;
    this.alerts = new AlertRelay(post);
  }

  get answers(): ServiceAnswers {
    return Object.fromEntries(
      SERVICE_ROUTES.map((route) => [route, (request: ApiRequest) => this.#ask(route, request)]),
    ) as ServiceAnswers;
  }

  async askWallet(wallet: WalletAddress): Promise<WalletAnswer> {
    const answer = await this.#wallets.ask((id) => this.#sent({ type: "wallet.asked", id, wallet }));
    return answer ?? NO_WALLET_ANSWER;
  }

  /** Tells that this thread has answered what was asked of it; resolves when all threads' alerts have come for it. */
  alertsTold(): Promise<void> {
    const told = new Promise<void>((resolve) => (this.#onAlertsTold = resolve));
    this.#post({ type: "drained" });
    return told;
  }

  /** Takes what is for it of the main thread's orders. */
  accept(order: GatewayOrder): void {
    if (order.type === "answer") this.#answers.settle(order.id, order.answer);
    else if (order.type === "wallet.answer") this.#wallets.settle(order.id, order.answer);
    else if (order.type === "alerts.told") this.#onAlertsTold();
    else if (order.type === "alert.send" || order.type === "alert.fail") this.alerts.accept(order);
  }

  async #ask(route: ServiceRoute, request: ApiRequest): Promise<Result<ApiAnswer, RequestError>> {
    const { isHead, parameter, requestId, keyId } = request;
    // A body may hold lists within lists, thousands deep, in fields that are ignored: more than a message can carry.
    const body = route === "outcome" ? outcomeReportOf(request.body) : ok(undefined);
    if (!body.ok) return body;
    const answer = await this.#answers.ask((id) =>
      this.#sent({
        type: "request",
        id,
        route,
        request: { body: body.value, isHead, parameter, requestId, keyId },
      }),
    );
    if (answer === null) return err({ code: "unavailable", detail: "the service does not answer in time" });
    if (!answer.ok) return answer;
    const { statusLine, text } = answer.value;
    return ok({ json: () => text, ...(statusLine !== undefined && { statusLine }) });
  }

  #sent(report: GatewayReport): true {
    this.#post(report);
    return true;
  }
}
