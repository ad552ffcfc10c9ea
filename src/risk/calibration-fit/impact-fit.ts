import { DAY_MS } from "../../domain/bar.ts";
import { populationVariance } from "../../math/moments.ts";
import { IMPACT_CALIBRATION } from "../liquidity/impact.ts";
import {
  type ClusteredMean,
  clusteredBy,
  type Evidence,
  type FitFinding,
  isClearGain,
} from "./fit-finding.ts";

/** One trade as the exchange reports it; what one taker took at one instant is several. */
export interface RecordedTrade {
  readonly timeMs: number;
  readonly notionalUsd: number;
  readonly direction: 1 | -1;
}

/** The middle of a book. */
export interface RecordedMid {
  readonly timeMs: number;
  readonly midPrice: number;
}

/** Trades and books of one asset over one window. */
export interface ImpactWindow {
  readonly asset: string;
  readonly trades: readonly RecordedTrade[];
  readonly mids: readonly RecordedMid[];
}

/** When the answer to an order is read, and the steps over which flow is summed. */
const RESPONSE_MS = [1000, 10_000, 60_000] as const;
const FLOW_STEP_MS = [10_000, 60_000, 180_000] as const;
const SIGMA_STEP_MS = 30_000;
const CLUSTER_MS = 60_000;
/** What the literature finds; a coefficient outside it would have to be shown by orders of many minutes, not of one. */
const PUBLISHED_RANGE = [0.5, 1.5] as const;
/** Days of orders without which the metaorder law is not tested, whatever the slope of single orders. */
const DAYS_MIN = 30;

interface Point {
  readonly timeMs: number;
  /** Sigma of the window × √(order / volume of the window): the law without its coefficient. */
  readonly lawFraction: number;
  /** Move of the mid in the order's direction. */
  readonly moveFraction: number;
}

/**
 * Impact over σ√(Q/V) where it can be seen: the mid's answer to single orders, and its move over a step against the
 * step's net flow. Sigma and volume are those of the recorded window, in which the law is the same as for a day:
 * σ_T √(Q/V_T) = σ_day √(Q/V_day). A recording of minutes shows the immediate answer, never the path of an order that
 * takes hours, for which the square-root law is stated; so it can refute the coefficient's order of magnitude only.
 */
export function fitImpactCoefficient(windows: readonly ImpactWindow[]): FitFinding<number> {
  const measured = windows.map((window) => measure(window));
  const single = RESPONSE_MS.map((_, k) => slopeOf(measured.flatMap(({ answers }) => answers[k]!)));
  const flow = FLOW_STEP_MS.map((_, k) => slopeOf(measured.flatMap(({ flows }) => flows[k]!)));
  const spanDays = Math.max(...windows.map(({ mids }) => mids.at(-1)!.timeMs - mids[0]!.timeMs)) / DAY_MS;
  const minuteFlow = flow[1]!;
  const { mean: fitted, standardError } = minuteFlow;
  const [low, high] = PUBLISHED_RANGE;
  const distance = Math.abs(fitted - IMPACT_CALIBRATION.coefficient.value);
  const outside = Math.max(low - fitted, fitted - high);
  const contradicts = isClearGain({ ...minuteFlow, mean: outside });
  const isAdopted =
    spanDays >= DAYS_MIN && isClearGain({ ...minuteFlow, mean: distance }) && fitted >= low && fitted <= high;
  return {
    fitted,
    method: "slope of one-minute moves on sigma sqrt(net flow / volume) through the origin",
    standardError,
    isAdopted,
    verdict: isAdopted
      ? `differs by ${(distance / standardError).toFixed(1)} standard errors`
      : `${(24 * 60 * spanDays).toFixed(0)} minutes show no metaorder; the slope of one-minute flow, ${fitted.toFixed(2)} ± ${standardError.toFixed(2)}, ${contradicts ? "contradicts" : "does not contradict"} the published ${String(low)} to ${String(high)}`,
    data: `trades and books of ${windows.map(({ asset }) => asset).join(", ")}, ${(24 * 60 * spanDays).toFixed(0)} minutes each`,
    evidence: {
      ...slopes("answerTo1OrderAfterSeconds", RESPONSE_MS, single),
      ...slopes("netFlowOverSeconds", FLOW_STEP_MS, flow),
      orders: measured.reduce((sum, { answers }) => sum + answers[0]!.length, 0),
      exponentOfOrderSize: exponentOf(measured.flatMap(({ answers }) => answers[1]!)),
    },
  };
}

function measure({ trades, mids }: ImpactWindow): {
  readonly answers: readonly (readonly Point[])[];
  readonly flows: readonly (readonly Point[])[];
} {
  const startMs = mids[0]!.timeMs;
  const endMs = mids.at(-1)!.timeMs;
  const seen = trades.filter(({ timeMs }) => timeMs >= startMs && timeMs <= endMs);
  const volumeUsd = seen.reduce((sum, { notionalUsd }) => sum + notionalUsd, 0);
  const steps = Math.floor((endMs - startMs) / SIGMA_STEP_MS);
  const returns = Float64Array.from({ length: steps }, (_, i) =>
    Math.log(midAt(mids, startMs + (i + 1) * SIGMA_STEP_MS) / midAt(mids, startMs + i * SIGMA_STEP_MS)),
  );
  const sigma = Math.sqrt(populationVariance(returns) * steps);
  const law = (usd: number): number => sigma * Math.sqrt(usd / volumeUsd);
  const move = (fromMs: number, toMs: number): number => Math.log(midAt(mids, toMs) / midAt(mids, fromMs));

  const orders = ordersOf(seen);
  const answers = RESPONSE_MS.map((afterMs) =>
    orders
      .filter(({ timeMs }) => timeMs > startMs && timeMs + afterMs <= endMs)
      .map(({ timeMs, notionalUsd, direction }) => ({
        timeMs,
        lawFraction: law(notionalUsd),
        moveFraction: direction * move(timeMs - 1, timeMs + afterMs),
      })),
  );
  const flows = FLOW_STEP_MS.map((stepMs) =>
    Array.from({ length: Math.floor((endMs - startMs) / stepMs) }, (_, i): Point => {
      const fromMs = startMs + i * stepMs;
      let netUsd = 0;
      for (const { timeMs, notionalUsd, direction } of seen) {
        if (timeMs > fromMs && timeMs <= fromMs + stepMs) netUsd += direction * notionalUsd;
      }
      return {
        timeMs: fromMs,
        lawFraction: law(Math.abs(netUsd)),
        moveFraction: Math.sign(netUsd) * move(fromMs, fromMs + stepMs),
      };
    }),
  );
  return { answers, flows };
}

/** Trades of one side at one instant are one order. */
function ordersOf(trades: readonly RecordedTrade[]): readonly RecordedTrade[] {
  const orders = new Map<string, RecordedTrade>();
  for (const trade of trades) {
    const key = `${String(trade.timeMs)}/${String(trade.direction)}`;
    const before = orders.get(key)?.notionalUsd ?? 0;
    orders.set(key, { ...trade, notionalUsd: before + trade.notionalUsd });
  }
  return [...orders.values()];
}

/** The last mid at or before a time; the first where there is none. */
function midAt(mids: readonly RecordedMid[], timeMs: number): number {
  let low = 0;
  let high = mids.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (mids[middle]!.timeMs <= timeMs) low = middle;
    else high = middle;
  }
  return mids[low]!.midPrice;
}

/** Σxy/Σx² through the origin, with a standard error by minutes. */
function slopeOf(points: readonly Point[]): ClusteredMean {
  return clusteredBy(
    points,
    ({ timeMs }) => Math.floor(timeMs / CLUSTER_MS),
    ({ lawFraction: x, moveFraction: y }) => x * y,
    ({ lawFraction: x }) => x * x,
  );
}

/** Slope of ln(mean answer) on ln(order) over ten equal groups by size: 0.5 is the square root. */
function exponentOf(points: readonly Point[]): number {
  const sorted = points.toSorted((a, b) => a.lawFraction - b.lawFraction);
  const groups = Array.from({ length: 10 }, (_, g) =>
    sorted.slice(Math.floor((g * sorted.length) / 10), Math.floor(((g + 1) * sorted.length) / 10)),
  );
  const logs = groups.flatMap((group) => {
    const size = group.reduce((sum, { lawFraction }) => sum + lawFraction, 0) / group.length;
    const answer = group.reduce((sum, { moveFraction }) => sum + moveFraction, 0) / group.length;
    return size > 0 && answer > 0 ? [{ x: 2 * Math.log(size), y: Math.log(answer) }] : [];
  });
  const meanX = logs.reduce((sum, { x }) => sum + x, 0) / logs.length;
  const cross = logs.reduce((sum, { x, y }) => sum + (x - meanX) * y, 0);
  return cross / logs.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
}

function slopes(name: string, stepsMs: readonly number[], found: readonly ClusteredMean[]): Evidence {
  return {
    [name]: stepsMs.map((ms) => ms / 1000),
    [`${name}Slopes`]: found.map(({ mean }) => mean),
    [`${name}StandardErrors`]: found.map(({ standardError }) => standardError),
  };
}
