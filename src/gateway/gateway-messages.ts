import type { RequestError } from "../domain/errors.ts";
import type { WalletAddress } from "../domain/ids.ts";
import type { Result } from "../domain/result.ts";
import type { AnswerText, ApiRequest } from "../http/endpoint.ts";
import type { SharedKeys } from "../http/key-ring.ts";
import type { AppDescriptor } from "../http/uws-listen.ts";
import type { WalletNews } from "../snapshot/wallet-fan-out.ts";
import type { WalletAnswer } from "../snapshot/wallet-mirror.ts";
import type { ServiceRoute } from "./gateway-endpoints.ts";

/** An answer whose text is made and belongs to nobody else. */
export interface MadeAnswer {
  readonly statusLine?: string;
  readonly text: AnswerText;
}

/** What an alerts socket on another thread hears; sockets are numbered by their thread. */
export type AlertSocketEvent =
  | { readonly type: "alert.opened"; readonly socket: number }
  | { readonly type: "alert.received"; readonly socket: number; readonly text: string | null }
  | { readonly type: "alert.closed"; readonly socket: number };

/** What is to be done with it. */
export type AlertSocketCommand =
  | {
      readonly type: "alert.send";
      readonly socket: number;
      readonly texts: readonly AnswerText[];
    }
  | { readonly type: "alert.fail"; readonly socket: number };

/** What a gateway thread says to the main thread. */
export type GatewayReport =
  /** Connections can be handed over. */
  | { readonly type: "started"; readonly descriptor: AppDescriptor }
  /** Something was thrown that nobody caught: the thread ends when it is let go. */
  | { readonly type: "failed"; readonly detail: string }
  /** The thread that was told to stop has answered what was asked of it. */
  | { readonly type: "drained" }
  | {
      readonly type: "request";
      readonly id: number;
      readonly route: ServiceRoute;
      readonly request: Omit<ApiRequest, "receivedAtMs" | "reply">;
    }
  | { readonly type: "wallet.asked"; readonly id: number; readonly wallet: WalletAddress }
  | {
      readonly type: "used";
      readonly keysLastUsedAtMs: ReadonlyMap<string, number>;
      readonly walletUses: ReadonlyMap<WalletAddress, number>;
    }
  | AlertSocketEvent;

/** What the main thread says to a gateway thread. */
export type GatewayOrder =
  | { readonly type: "answer"; readonly id: number; readonly answer: Result<MadeAnswer, RequestError> }
  | { readonly type: "wallet.answer"; readonly id: number; readonly answer: WalletAnswer }
  | { readonly type: "wallet.news"; readonly news: WalletNews }
  | { readonly type: "keys"; readonly issued: SharedKeys["issued"] }
  /** No connection is handed over any more: end at once. */
  | { readonly type: "released" }
  /** No connection is handed over any more: finish what is in flight, then end. */
  | { readonly type: "stop" }
  /** All threads have answered, and what that found was told to their alert subscribers: say goodbye to them. */
  | { readonly type: "alerts.told" }
  | AlertSocketCommand;
