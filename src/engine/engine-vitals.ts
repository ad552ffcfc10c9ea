import type { Logger } from "pino";
import type { Subscription } from "rxjs";
import type { Clock } from "../domain/clock.ts";
import type { Ticker } from "../domain/ids.ts";
import type { MarketEvent } from "../domain/market-event.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { LimitedLines } from "../process/limited-lines.ts";
import type { AssetCounts, EngineCounts, EngineStatus, Readiness } from "../snapshot/engine-status.ts";

/** The machine's clock is never set right by less where it matters: ages are compared with limits of seconds. */
const CLOCK_BACK_MS_MAX = 2_000;

/** What the exchange or the disk can make happen without end. */
type LimitedKind = "feed.lost" | "feed.restored" | "frame.rejected" | "step.failed";

/** The engine's pulse: what was heard last, and log lines of what went wrong. */
export class EngineVitals {
  readonly #exchange: Exchange;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #lostSockets = new Set<string>();
  readonly #lines: Readonly<Record<LimitedKind, LimitedLines>>;
  #lastMessageAtMs: number | null = null;
  #lastLookAtMs: number;
  #readiness: Readiness = "starting";

  constructor(deps: { readonly exchange: Exchange; readonly clock: Clock; readonly logger: Logger }) {
    this.#exchange = deps.exchange;
    this.#clock = deps.clock;
    this.#logger = deps.logger;
    this.#lastLookAtMs = deps.clock.nowMs();
    const { logger } = deps;
    const limited = (event: LimitedKind): LimitedLines =>
      new LimitedLines((more) => logger.warn({ event, more }, "more of these"));
    this.#lines = {
      "feed.lost": limited("feed.lost"),
      "feed.restored": limited("feed.restored"),
      "frame.rejected": limited("frame.rejected"),
      "step.failed": limited("step.failed"),
    };
  }

  /** To the raw feed. */
  listen(): Subscription {
    return this.#exchange.feed$.subscribe((event) => {
      switch (event.type) {
        case "feed.lost":
          this.#lostSockets.add(event.socket);
          this.#lines[event.type].log(() =>
            this.#logger.warn(
              { event: event.type, socket: event.socket, detail: event.detail },
              "socket lost",
            ),
          );
          return;
        case "feed.restored":
          this.#lostSockets.delete(event.socket);
          this.#lines[event.type].log(() =>
            this.#logger.info({ event: event.type, socket: event.socket }, "socket restored"),
          );
          return;
        case "frame.rejected":
          this.#lines[event.type].log(() =>
            this.#logger.warn({ event: event.type, detail: event.detail }, "frame rejected"),
          );
          return;
        case "book.received":
        case "context.received":
        case "bar.received":
          this.#lastMessageAtMs = this.#clock.nowMs();
      }
    });
  }

  /**
   * Throws when the machine's clock was set back: whatever is due, or too old, by a time of before would wait for as long.
   * An engine that begins anew has no such times.
   */
  checkClock(): void {
    const nowMs = this.#clock.nowMs();
    const backMs = this.#lastLookAtMs - nowMs;
    this.#lastLookAtMs = nowMs;
    if (backMs > CLOCK_BACK_MS_MAX)
      throw new Error(`the machine's clock was set back by ${String(backMs)} ms`);
  }

  note(event: MarketEvent): void {
    if (event.type === "asset.delisted" || event.type === "listing.changed") {
      this.#logger.info({ event: event.type, ticker: event.ticker }, "listing changed");
    }
  }

  noteProblem(step: string, detail: string): void {
    const event = "step.failed";
    this.#lines[event].log(() => this.#logger.warn({ event, step, detail }, "a step failed"));
  }

  noteRestart(ticker: Ticker, error: unknown, isGivenUp: boolean): void {
    this.#logger.error({ event: "asset.restarted", ticker, isGivenUp, err: error }, "an asset failed");
  }

  noteFatal(error: unknown): void {
    this.#logger.fatal({ event: "engine.failed", err: error }, "the engine's pipeline failed");
  }

  /** Says what was left out of the log meanwhile. */
  stop(): void {
    for (const lines of Object.values(this.#lines)) lines.end();
  }

  /** Null before the first message. */
  silenceMs(): number | null {
    return this.#lastMessageAtMs === null ? null : this.#clock.nowMs() - this.#lastMessageAtMs;
  }

  status(readiness: Readiness, assets: AssetCounts, counts: EngineCounts): EngineStatus {
    if (readiness !== this.#readiness) {
      const level = readiness === "degraded" ? "warn" : "info";
      this.#logger[level]({ event: `engine.${readiness}`, assets }, `engine is ${readiness}`);
      this.#readiness = readiness;
    }
    return {
      readiness,
      isFeedConnected: this.#lastMessageAtMs !== null && this.#lostSockets.size === 0,
      lastMessageAtMs: this.#lastMessageAtMs,
      publishedAtMs: this.#clock.nowMs(),
      assets,
      counts,
    };
  }
}
