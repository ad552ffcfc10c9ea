import type { Observable } from "rxjs";
import { Subject } from "rxjs";
import { type BookFrame, hasTwoSides } from "../../domain/book.ts";
import type { Ticker } from "../../domain/ids.ts";
import type { FeedEvent, WatchedAsset } from "../exchange.ts";
import { HeardAssets } from "./heard-assets.ts";
import type { FeedFrame } from "./parse-frame.ts";
import type { SessionDeps } from "./session-deps.ts";
import { SocketSession } from "./socket-session.ts";
import type { FeedKind, FeedPlan } from "./subscriptions.ts";
import { FEED_KINDS, firstNames, planFeed, QUIET_MS_MAX, SILENCE_MS_MAX } from "./subscriptions.ts";
import type { Timers } from "./timers.ts";

const REJECTION_LENGTH_MAX = 300;

/** One socket per kind of fact, merged into one hot stream that never errors. */
export class MarketFeed {
  readonly #events = new Subject<FeedEvent>();
  readonly #timers: Timers;
  readonly #sessions: ReadonlyMap<FeedKind, SocketSession>;
  readonly #heard: Readonly<Record<FeedKind, HeardAssets>>;
  #plan: FeedPlan = planFeed([]);
  /** Whose facts are wanted of any kind: those of other names would be kept for ever by all who keep the newest. */
  #watched: ReadonlySet<Ticker> = new Set();

  constructor(deps: SessionDeps) {
    this.#timers = deps.timers;
    const heard = FEED_KINDS.map((kind) => [kind, new HeardAssets(QUIET_MS_MAX[kind])]);
    this.#heard = Object.fromEntries(heard) as Record<FeedKind, HeardAssets>;
    this.#sessions = new Map(
      FEED_KINDS.map((kind) => [kind, new SocketSession(deps, SILENCE_MS_MAX[kind], this.#eventsOf(kind))]),
    );
  }

  get events$(): Observable<FeedEvent> {
    return this.#events.asObservable();
  }

  /** Also ends, and asks for again, what brings nothing any more of an asset while its socket goes on. */
  watch(assets: readonly WatchedAsset[]): void {
    this.#plan = planFeed(assets, this.#plan);
    this.#watched = new Set(assets.map(({ ticker }) => ticker));
    for (const [kind, session] of this.#sessions) {
      const planned = this.#plan[kind];
      const quiet = this.#heard[kind].takeQuiet(planned, this.#timers.nowMs());
      if (quiet.length > 0) {
        this.reject(`${kind}: brings nothing any more, asked for again: ${firstNames(quiet).join(" ")}`);
        session.want(planned.filter((one) => !quiet.includes(one)));
      }
      session.want(planned);
    }
  }

  /** Something the exchange said made no sense, over whatever way it came. Its own words are cut: they go into the log. */
  reject(detail: string): void {
    this.#events.next({ type: "frame.rejected", detail: detail.slice(0, REJECTION_LENGTH_MAX) });
  }

  close(): void {
    for (const session of this.#sessions.values()) session.close();
    this.#events.complete();
  }

  #eventsOf(socket: FeedKind): ConstructorParameters<typeof SocketSession>[2] {
    return {
      onFrame: (frame) => {
        this.#pass(socket, frame);
      },
      onRejected: (detail) => {
        this.reject(`${socket}: ${detail}`);
      },
      onRestored: () => {
        this.#events.next({ type: "feed.restored", socket });
      },
      onLost: (detail) => {
        this.#heard[socket].clear();
        const tickers = this.#plan[socket].flatMap(({ ticker }) => ticker ?? []);
        this.#events.next({ type: "feed.lost", socket, tickers, detail });
      },
    };
  }

  /** A book that is not of this socket's kind would be merged with the wrong reach; a spread takes two sides to show. */
  #passBook(socket: FeedKind, frame: BookFrame): void {
    const isCoarse = socket === "coarse" && frame.source === "slow" && !hasTwoSides(frame);
    if (frame.source === socket) this.#events.next({ type: "book.received", frame });
    else if (isCoarse) this.#events.next({ type: "book.received", frame: { ...frame, source: socket } });
    else this.reject(`${socket}: unexpected ${frame.source}`);
  }

  #pass(socket: FeedKind, frame: FeedFrame): void {
    const ticker = tickerOfFrame(frame);
    if (ticker !== null && !this.#watched.has(ticker)) {
      this.reject(`${socket}: ${frame.type} of ${ticker}, which is not watched`);
      return;
    }
    if (ticker !== null) this.#heard[socket].note(ticker, this.#timers.nowMs());
    switch (frame.type) {
      case "book":
        this.#passBook(socket, frame.frame);
        return;
      case "context":
        this.#events.next({ type: "context.received", ticker: frame.ticker, context: frame.context });
        return;
      case "bar":
        this.#events.next({ type: "bar.received", ticker: frame.ticker, bar: frame.bar });
        return;
      default:
        this.reject(`${socket}: unexpected ${frame.type}`);
    }
  }
}

/** Null where a frame is about no asset. */
function tickerOfFrame(frame: FeedFrame): Ticker | null {
  if (frame.type === "book") return frame.frame.ticker;
  return frame.type === "context" || frame.type === "bar" ? frame.ticker : null;
}
