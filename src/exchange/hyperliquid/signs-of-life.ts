/** The exchange closes a socket on which it has sent nothing for 60 s; its pong counts. */
export const PING_EVERY_MS = 25_000;
/** Two lost pongs. */
const QUIET_MS_MAX = 60_000;
/** A handshake that takes longer, or the wait for the first acknowledgement, is a dead socket. */
const PROGRESS_MS_MAX = 30_000;

/** A connection that was live for so long works; what follows a subscription at once proves little. */
const STEADY_MS_MIN = 10_000;

/** When one connection was last heard of, and when it counts as dead. */
export class SignsOfLife {
  /** How long the channel may bring no data; null where quiet markets bring none for long. */
  readonly #silenceMsMax: number | null;
  /** Times the channel's limit. Doubled by each connection in a row that fell silent: a new one may well do so too. */
  #patience = 1;
  #hasData = false;
  #liveAtMs: number | null = null;
  #lastDataAtMs = 0;
  #lastFrameAtMs = 0;
  #lastProgressAtMs = 0;

  constructor(silenceMsMax: number | null) {
    this.#silenceMsMax = silenceMsMax;
  }

  get lastDataAtMs(): number {
    return this.#lastDataAtMs;
  }

  /** Whether the connection is live, or was before it was lost. */
  get wasLive(): boolean {
    return this.#liveAtMs !== null;
  }

  /** Whether the connection works, or did before it was lost: it was heard of long after it was live. */
  get wasSteady(): boolean {
    return this.#liveAtMs !== null && this.#lastFrameAtMs - this.#liveAtMs >= STEADY_MS_MIN;
  }

  /** The connection is being made. */
  begin(nowMs: number): void {
    this.#hasData = false;
    this.#liveAtMs = null;
    this.noteProgress(nowMs);
  }

  /** It opened. */
  noteProgress(nowMs: number): void {
    this.#lastProgressAtMs = this.#lastFrameAtMs = this.#lastDataAtMs = nowMs;
  }

  /** It waits for our own pace of messages, not for the exchange. */
  noteWaiting(nowMs: number): void {
    this.#lastProgressAtMs = nowMs;
  }

  noteFrame(nowMs: number): void {
    this.#lastFrameAtMs = nowMs;
  }

  noteLive(nowMs: number): void {
    this.#liveAtMs = nowMs;
  }

  /** What follows a subscription at once proves little; data that go on do. */
  noteData(nowMs: number): void {
    this.#hasData = true;
    this.#lastDataAtMs = nowMs;
    if (this.#liveAtMs !== null && nowMs - this.#liveAtMs > (this.#silenceMsMax ?? 0)) this.#patience = 1;
  }

  /** It is being cut because it was silent. */
  noteSilence(): void {
    this.#patience *= 2;
  }

  /**
   * When the connection is dead if nothing more comes: "begun" until the first acknowledgement, when a pong is no
   * progress; "subscribing" from then on; "live" when data are due.
   */
  deadAtMs(stage: "begun" | "subscribing" | "live"): number {
    if (stage === "begun") return this.#lastProgressAtMs + PROGRESS_MS_MAX;
    const quietAtMs = this.#lastFrameAtMs + QUIET_MS_MAX;
    const areDataDue = this.#hasData || stage === "live";
    if (this.#silenceMsMax === null || !areDataDue) return quietAtMs;
    const silenceMsMax = Math.min(QUIET_MS_MAX, this.#silenceMsMax * this.#patience);
    return Math.min(quietAtMs, this.#lastDataAtMs + silenceMsMax);
  }
}
