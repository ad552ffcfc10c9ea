import type { MessagePort } from "node:worker_threads";
import type { Ticker } from "../domain/ids.ts";
import type { AssetDiagnostics } from "../risk/backtest/asset-diagnostics.ts";
import type { ScenarioSheet } from "../risk/scenarios/sheet.ts";
import { type AssetSnapshot, withParts } from "./asset-snapshot.ts";
import type { EngineStatus, ModelFacts } from "./engine-status.ts";

/** What leaves the engine. Every message replaces the value before it whole. */
export type SnapshotMessage =
  /** A new engine begins, said by whoever started it; whether the service was ready before. */
  | { readonly type: "run.began"; readonly hasBeenReady: boolean }
  | { readonly type: "asset.published"; readonly snapshot: AssetSnapshot }
  | { readonly type: "sheet.published"; readonly sheet: ScenarioSheet }
  | { readonly type: "status.published"; readonly status: EngineStatus }
  | { readonly type: "models.published"; readonly models: ModelFacts }
  | { readonly type: "diagnostics.published"; readonly diagnostics: AssetDiagnostics };

/** The one way out of the engine: in a thread a function call, between threads a port. */
export interface SnapshotChannel {
  publish(message: SnapshotMessage): void;
}

/**
 * The reach between threads: of an asset only the parts that were replaced since its last message travel. Typed arrays
 * on shared memory are passed, not copied. The port must be this channel's alone and is read by receiveSnapshots.
 */
export function portChannel(port: MessagePort): SnapshotChannel {
  const sent = new Map<Ticker, AssetSnapshot>();
  return {
    publish(message) {
      if (message.type !== "asset.published") {
        post(port, message);
        return;
      }
      const { snapshot } = message;
      const { ticker } = snapshot.listing;
      post(port, { type: "asset.changed", ticker, changed: changedParts(sent.get(ticker), snapshot) });
      sent.set(ticker, snapshot);
    },
  };
}

/** Reads what a portChannel writes at the other end of the port, as whole messages. */
export function receiveSnapshots(port: MessagePort, accept: (message: SnapshotMessage) => void): void {
  const received = new Map<Ticker, AssetSnapshot>();
  port.on("message", (message: PortMessage) => {
    if (message.type !== "asset.changed") {
      accept(message);
      return;
    }
    // The first message of an asset carries every part, so what is built here is whole.
    const { ticker, changed } = message;
    const snapshot = withParts(received.get(ticker) ?? (changed as AssetSnapshot), changed);
    received.set(ticker, snapshot);
    accept({ type: "asset.published", snapshot });
  });
}

type PortMessage =
  | Exclude<SnapshotMessage, { type: "asset.published" }>
  | {
      readonly type: "asset.changed";
      readonly ticker: Ticker;
      readonly changed: Partial<AssetSnapshot>;
    };

function post(port: MessagePort, message: PortMessage): void {
  port.postMessage(message);
}

/** The fields that are not the same value as before; parts are immutable, so identity is equality enough. */
function changedParts(before: AssetSnapshot | undefined, after: AssetSnapshot): Partial<AssetSnapshot> {
  if (before === undefined) return after;
  const entries = Object.entries(after).filter(
    ([field, value]) => before[field as keyof AssetSnapshot] !== value,
  );
  return Object.fromEntries(entries);
}
