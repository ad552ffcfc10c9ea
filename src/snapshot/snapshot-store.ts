import type { AssetDiagnostics } from "../risk/backtest/asset-diagnostics.ts";
import { type ScenarioSheet, withDay } from "../risk/scenarios/sheet.ts";
import { type AssetSnapshot, isBeingRead, withParts } from "./asset-snapshot.ts";
import type { EngineStatus, ModelFacts } from "./engine-status.ts";
import type { SnapshotMessage } from "./snapshot-channel.ts";

/**
 * The read side of the seam: the newest whole value of everything the engine published. A reader that holds a value
 * for the length of a request sees one state, whatever arrives meanwhile.
 */
export class SnapshotStore {
  readonly #byName = new Map<string, AssetSnapshot>();
  readonly #diagnostics = new Map<string, AssetDiagnostics>();
  readonly #onSheet: (() => void)[] = [];
  #sheet: ScenarioSheet | null = null;
  #status: EngineStatus | null = null;
  #hasBeenReady = false;
  #models: ModelFacts | null = null;

  accept(message: SnapshotMessage): void {
    switch (message.type) {
      case "run.began":
        this.#hasBeenReady ||= message.hasBeenReady;
        this.#beginRun();
        return;
      case "asset.published": {
        const { ticker } = message.snapshot.listing;
        if (isKnownBetter(this.#byName.get(ticker), message.snapshot)) return;
        this.#byName.set(ticker, message.snapshot);
        this.#moveSheet(message.snapshot);
        return;
      }
      case "sheet.published":
        this.#sheet = message.sheet;
        for (const listener of this.#onSheet) listener();
        return;
      case "status.published":
        // A new engine that has listed nothing yet knows less than what is answered from.
        if (this.#hasBeenReady && hasListedNothing(message.status)) return;
        this.#status = message.status;
        this.#hasBeenReady ||= message.status.readiness === "ready";
        return;
      case "models.published":
        this.#models = message.models;
        return;
      case "diagnostics.published":
        this.#diagnostics.set(message.diagnostics.ticker, Object.freeze(message.diagnostics));
    }
  }

  /** Calls back when a drawn sheet is in force, before anybody asks for it; not when one row moves. */
  onSheet(listener: () => void): void {
    this.#onSheet.push(listener);
  }

  /** Messages that make an empty store hold what this one holds. */
  messages(): readonly SnapshotMessage[] {
    const [status, models, sheet] = [this.#status, this.#models, this.#sheet];
    return [
      { type: "run.began", hasBeenReady: this.#hasBeenReady },
      ...(status === null ? [] : [{ type: "status.published", status } as const]),
      ...(models === null ? [] : [{ type: "models.published", models } as const]),
      ...[...this.#byName.values()].map((snapshot) => ({ type: "asset.published", snapshot }) as const),
      ...[...this.#diagnostics.values()].map(
        (diagnostics) => ({ type: "diagnostics.published", diagnostics }) as const,
      ),
      // Last, because it is at each row's sigma now.
      ...(sheet === null ? [] : [{ type: "sheet.published", sheet } as const]),
    ];
  }

  /**
   * A new engine begins. What the one before published is still answered from, as stale as it is, until the new one
   * knows better; but its scenario rows mean nothing in the sheets to come, and nothing of it is live.
   */
  #beginRun(): void {
    this.#sheet = null;
    if (this.#status !== null) this.#status = outlived(this.#status);
    for (const [name, snapshot] of this.#byName) {
      const lifecycle = snapshot.lifecycle === "live" ? "stale" : snapshot.lifecycle;
      this.#byName.set(name, withParts(snapshot, { lifecycle, sheetRow: null, sheetDay: null }));
    }
  }

  #moveSheet({ sheetRow, sheetDay }: AssetSnapshot): void {
    if (this.#sheet === null || sheetRow === null || sheetDay === null) return;
    this.#sheet = withDay(this.#sheet, sheetRow, sheetDay);
  }

  /** Undefined for names the exchange never listed. */
  assetOf(name: string): AssetSnapshot | undefined {
    return this.#byName.get(name);
  }

  /** Every asset, delisted ones included, in the universe's order. */
  assets(): readonly AssetSnapshot[] {
    return [...this.#byName.values()].sort((a, b) => a.listing.assetIndex - b.listing.assetIndex);
  }

  /** From then on a request is judged by the age of what it reads, whatever becomes of the engine. */
  get hasBeenReady(): boolean {
    return this.#hasBeenReady;
  }

  /** The joint scenarios, every row at its asset's sigma now; null until the first are drawn. */
  get sheet(): ScenarioSheet | null {
    return this.#sheet;
  }

  /** What the asset's record of forecasts says; undefined before it was first judged. */
  diagnosticsOf(name: string): AssetDiagnostics | undefined {
    return this.#diagnostics.get(name);
  }

  /** Null until the engine has spoken. */
  get status(): EngineStatus | null {
    return this.#status;
  }

  get models(): ModelFacts | null {
    return this.#models;
  }
}

/** What an engine that has ended last said, as it is now. */
function outlived(status: EngineStatus): EngineStatus {
  const { live, stale } = status.assets;
  const assets = { ...status.assets, live: 0, stale: stale + live };
  return { ...status, readiness: "starting", isFeedConnected: false, assets };
}

function hasListedNothing({ assets }: EngineStatus): boolean {
  const { listed, warming, live, stale, delisted } = assets;
  return listed + warming + live + stale + delisted === 0;
}

/** An asset that was warm stays so, ageing, while a restarted engine warms it again. */
function isKnownBetter(known: AssetSnapshot | undefined, coming: AssetSnapshot): boolean {
  const wasWarm = known?.lifecycle === "live" || known?.lifecycle === "stale";
  return wasWarm && isBeingRead(coming.lifecycle);
}
