import type { ExchangeFailure } from "../../domain/errors.ts";
import { isRecord } from "../../domain/json-value.ts";
import type { Result } from "../../domain/result.ts";
import type { WireRecord } from "../hyperliquid/field-reader.ts";
import { COARSE_SIGNIFICANT_FIGURES, subscriptionKey } from "../hyperliquid/subscriptions.ts";
import type { InfoRequest } from "../hyperliquid/transport.ts";

/** A socket frame and when it was seen. */
export interface TimedFrame {
  readonly atMs: number;
  readonly frame: WireRecord;
}

/** Something recorded that can be played: frames in time order and answers to info requests. */
export interface ReplaySource {
  readonly startMs: number;
  /** From the beginning, each time it is called. */
  frames(): AsyncIterable<TimedFrame>;
  /** The answer at a moment of the recording. */
  answer(body: InfoRequest, nowMs: number): Result<unknown, ExchangeFailure>;
}

/** The subscription that a frame answers; undefined for acknowledgements, pongs and the like. */
export function frameSubscriptionKey(frame: WireRecord): string | undefined {
  const data = frame["data"];
  if (!isRecord(data)) return undefined;
  const type = frame["channel"];
  switch (type) {
    case "l2Book": {
      const nSigFigs = data["spread"] === undefined ? null : COARSE_SIGNIFICANT_FIGURES;
      return subscriptionKey({ type, coin: data["coin"], fast: data["fast"], nSigFigs });
    }
    case "bbo":
    case "activeAssetCtx":
      return subscriptionKey({ type, coin: data["coin"] });
    case "candle":
      return subscriptionKey({ type, coin: data["s"], interval: data["i"] });
    default:
      return undefined;
  }
}
