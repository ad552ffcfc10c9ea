import { isRecord } from "../domain/json-value.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { LiveAsset } from "./live-asset.ts";

/** What a scenario does; magnitudes are in the unit named beside each, durations in market seconds. */
export const SCENARIO_KINDS = {
  crash: { magnitude: 0.2, unit: "fraction of price lost by an asset of beta 1", durationS: 120 },
  short_squeeze: { magnitude: 0.6, unit: "fraction of price gained", durationS: 180 },
  funding_spike: {
    magnitude: 0.01,
    unit: "hourly funding rate that the premium drives towards",
    durationS: 3600,
  },
  liquidity_drain: { magnitude: 0.9, unit: "fraction of resting depth that leaves", durationS: 120 },
  book_outage: { magnitude: 1, unit: "none", durationS: 60 },
  feed_disconnect: { magnitude: 1, unit: "none", durationS: 0 },
  feed_silence: { magnitude: 1, unit: "none", durationS: 20 },
  http_429: { magnitude: 1, unit: "share of requests refused", durationS: 15 },
  http_500: { magnitude: 1, unit: "share of requests failed", durationS: 15 },
  slow_replies: { magnitude: 3, unit: "seconds added to each reply", durationS: 30 },
} as const;
type ScenarioKind = keyof typeof SCENARIO_KINDS;

/** Not of one asset: connections and replies are those of all. */
const EXCHANGE_WIDE: ReadonlySet<ScenarioKind> = new Set([
  "feed_disconnect",
  "feed_silence",
  "http_429",
  "http_500",
  "slow_replies",
]);
const RECOVERY_SHARE = 0.3;
/** A day; a timer of more than 24 would not wait at all. */
const SECONDS_MAX = 86_400;
/** A shock is walked on the clock of the books, about two steps a second: one that is over between two never happens. */
const SHOCK_S_MIN = 1;
/** A crash is preceded by nothing, thins books to this share at most and widens spreads by this much at full size. */
const CRASH_DEPTH_FACTOR = 0.08;
const CRASH_SPREAD_FACTOR = 12;
const SQUEEZE_DEPTH_FACTOR = 0.15;
const SQUEEZE_SPREAD_FACTOR = 6;

interface ScenarioRequest {
  readonly kind: ScenarioKind;
  /** Absent means every asset. */
  readonly coin?: string;
  readonly magnitude: number;
  readonly durationMs: number;
}

export interface RunningScenario extends ScenarioRequest {
  readonly id: number;
  readonly startMs: number;
  readonly endMs: number;
}

/** Reads a scenario request of the control endpoint. Errors: one sentence that names the offending field. */
export function parseScenario(
  body: unknown,
  knownCoins: ReadonlySet<string>,
): Result<ScenarioRequest, string> {
  if (!isRecord(body)) return err("body must be a JSON object");
  const { type, asset, magnitude, duration_s: durationS, ...others } = body;
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined)
    return err(`unknown field "${unknown}"; known: type, asset, magnitude, duration_s`);
  if (typeof type !== "string" || !Object.hasOwn(SCENARIO_KINDS, type)) {
    return err(`type must be one of ${Object.keys(SCENARIO_KINDS).join(", ")}`);
  }
  const kind = type as ScenarioKind;
  const defaults = SCENARIO_KINDS[kind];
  if (asset !== undefined && (typeof asset !== "string" || !knownCoins.has(asset))) {
    return err("asset must be the name of a listed asset");
  }
  if (asset !== undefined && EXCHANGE_WIDE.has(kind))
    return err(`${kind} is of the whole exchange and takes no asset`);
  const size = magnitude ?? defaults.magnitude;
  if (typeof size !== "number" || !Number.isFinite(size) || size <= 0)
    return err("magnitude must be a positive number");
  if (kind === "crash" && size >= 0.95) return err("magnitude of a crash must be below 0.95");
  if (kind === "short_squeeze" && size > 10) return err("magnitude of a short_squeeze must be at most 10");
  if (kind === "funding_spike" && size > 0.04)
    return err("magnitude of a funding_spike must be at most 0.04");
  if ((kind === "liquidity_drain" || kind.startsWith("http_")) && size > 1)
    return err("magnitude must be at most 1");
  if (kind === "slow_replies" && size > SECONDS_MAX)
    return err(`magnitude of slow_replies must be at most ${SECONDS_MAX}`);
  const seconds = durationS ?? defaults.durationS;
  if (typeof seconds !== "number" || !(seconds >= 0 && seconds <= SECONDS_MAX)) {
    return err(`duration_s must be a number from 0 to ${SECONDS_MAX}`);
  }
  if (isShock(kind) && seconds < SHOCK_S_MIN)
    return err(`duration_s of a ${kind} must be at least ${SHOCK_S_MIN}`);
  const request = { kind, magnitude: size, durationMs: seconds * 1000 };
  return ok(typeof asset === "string" ? { ...request, coin: asset } : request);
}

/** The scenarios that run, and what they do to a market at an instant. */
export class Scenarios {
  #running: RunningScenario[] = [];
  #nextId = 1;

  start(request: ScenarioRequest, nowMs: number): RunningScenario {
    const scenario = { ...request, id: this.#nextId++, startMs: nowMs, endMs: nowMs + request.durationMs };
    this.#running.push(scenario);
    return scenario;
  }

  stopAll(): void {
    this.#running = [];
  }

  active(nowMs: number): readonly RunningScenario[] {
    this.#running = this.#running.filter((scenario) => nowMs < scenario.endMs + tailMs(scenario));
    return this.#running;
  }

  /** The first scenario of the kind that is in force at the time. */
  inForce(kind: ScenarioKind, nowMs: number): RunningScenario | undefined {
    return this.#running.find(
      (scenario) => scenario.kind === kind && scenario.startMs <= nowMs && nowMs < scenario.endMs,
    );
  }

  /** Sets the asset's stress for the instant and returns the log-price move that scenarios add on the way to it. */
  stepAsset(asset: LiveAsset, fromMs: number, toMs: number): number {
    const { stress } = asset;
    stress.basisShift = 0;
    stress.depthFactor = 1;
    stress.spreadFactor = 1;
    stress.bookIsOut = false;
    let move = 0;
    for (const scenario of this.#running) {
      if (scenario.coin !== undefined && scenario.coin !== asset.spec.coin) continue;
      if (toMs < scenario.startMs) continue;
      move += stepScenario(scenario, asset, fromMs, toMs);
    }
    return move;
  }
}

/** Price shocks give part of the move back over another duration. */
const tailMs = ({ kind, durationMs }: ScenarioRequest): number => (isShock(kind) ? durationMs : 0);

function isShock(kind: ScenarioKind): boolean {
  return kind === "crash" || kind === "short_squeeze";
}

/** Share of a shock's move that is in the price at a time: in over its duration, part of it out over the next. */
function shockShare({ startMs, durationMs }: RunningScenario, timeMs: number): number {
  const phase = (timeMs - startMs) / durationMs;
  const smooth = (x: number): number => x * x * (3 - 2 * x);
  if (phase <= 0) return 0;
  if (phase < 1) return smooth(phase);
  return 1 - RECOVERY_SHARE * smooth(Math.min(1, phase - 1));
}

function stepScenario(scenario: RunningScenario, asset: LiveAsset, fromMs: number, toMs: number): number {
  const { stress } = asset;
  const isRunning = toMs < scenario.endMs;
  switch (scenario.kind) {
    case "crash":
    case "short_squeeze": {
      const isCrash = scenario.kind === "crash";
      const beta = isCrash && scenario.coin === undefined ? asset.spec.beta : 1;
      const target = isCrash ? beta * Math.log(1 - scenario.magnitude) : Math.log(1 + scenario.magnitude);
      const intensity = shockIntensity(scenario, toMs);
      stress.depthFactor *= (isCrash ? CRASH_DEPTH_FACTOR : SQUEEZE_DEPTH_FACTOR) ** intensity;
      stress.spreadFactor *= (isCrash ? CRASH_SPREAD_FACTOR : SQUEEZE_SPREAD_FACTOR) ** intensity;
      // Liquidations push the perpetual beyond the oracle in the direction of the move.
      stress.basisShift += 0.05 * target * intensity;
      return target * (shockShare(scenario, toMs) - shockShare(scenario, fromMs));
    }
    case "funding_spike":
      if (isRunning) stress.basisShift += 8 * scenario.magnitude + 0.0005;
      return 0;
    case "liquidity_drain":
      if (isRunning) stress.depthFactor *= Math.max(0.001, 1 - scenario.magnitude);
      return 0;
    case "book_outage":
      if (isRunning) stress.bookIsOut = true;
      return 0;
    default:
      return 0;
  }
}

/** 1 while the shock runs, fading to 0 over the recovery. */
function shockIntensity({ endMs, durationMs }: RunningScenario, timeMs: number): number {
  return timeMs < endMs ? 1 : Math.max(0, 1 - (timeMs - endMs) / durationMs);
}
