import { HOUR_MS } from "../domain/bar.ts";
import type { Ticker } from "../domain/ids.ts";

/** A model is fitted anew after this long; the first fits are spread by the back-fill, so the later ones are too. */
const FIT_PERIOD_MS = 24 * HOUR_MS;
/** A fit that failed is tried again on a lower rung after this long. */
const FAILED_FIT_PAUSE_MS = 60_000;
/** An asset without a model asks again this often: its history or its peers may have come. */
const UNFITTED_PERIOD_MS = 10 * 60_000;
/** The first sheet comes with the first few models, so that the service is ready before all of them are. */
const SHEET_FIRST_MS = 1_000;
/** While fits are still coming in, sheets are this far apart; after the last fit the next one comes sooner. */
const SHEET_SPACING_MS = 15_000;
const SHEET_SPACING_IDLE_MS = 3_000;
/** A sheet serves at most an hour, and less when sigma moved by this ratio. */
const SHEET_PERIOD_MS = HOUR_MS;
export const SIGMA_MOVE_MAX = 1.2;

/** How far the next fit of an asset steps down the ladder: 1 after one failure, and so on. */
export type StepsDown = number;

interface FitPlan {
  dueAtMs: number;
  isUnderWay: boolean;
  failures: number;
}

/**
 * What is to be fitted and drawn when: fits on new history and once a day, sheets hourly, on moves of sigma, and soon
 * after new models, several at a time.
 *
 * Holds:  at most one fit per asset and one sheet under way
 */
export class RefitSchedule {
  readonly #fits = new Map<Ticker, FitPlan>();
  #isDrawing = false;
  #drawnAtMs = Number.NEGATIVE_INFINITY;
  /** When the first model came that no sheet has; null when every model is in a sheet. */
  #newModelAtMs: number | null = null;

  /** History was added: the model of it is due. */
  noteHistory(ticker: Ticker, nowMs: number): void {
    const plan = this.#fits.get(ticker);
    if (plan === undefined) this.#fits.set(ticker, { dueAtMs: nowMs, isUnderWay: false, failures: 0 });
    else plan.dueAtMs = nowMs;
  }

  /** Assets to fit now, with how far to step down; they are under way from here on. */
  takeDueFits(nowMs: number, mayStart: (ticker: Ticker) => boolean): ReadonlyMap<Ticker, StepsDown> {
    const due = new Map<Ticker, StepsDown>();
    for (const [ticker, plan] of this.#fits) {
      if (plan.isUnderWay || plan.dueAtMs > nowMs || !mayStart(ticker)) continue;
      plan.isUnderWay = true;
      plan.dueAtMs = nowMs + FIT_PERIOD_MS;
      due.set(ticker, plan.failures);
    }
    return due;
  }

  noteFitted(ticker: Ticker, hasModel: boolean, nowMs: number): void {
    const plan = this.#fits.get(ticker);
    if (plan === undefined) return;
    plan.isUnderWay = false;
    plan.failures = 0;
    if (hasModel) this.#newModelAtMs ??= nowMs;
    else plan.dueAtMs = Math.min(plan.dueAtMs, nowMs + UNFITTED_PERIOD_MS);
  }

  noteFitFailed(ticker: Ticker, nowMs: number): void {
    const plan = this.#fits.get(ticker);
    if (plan === undefined) return;
    plan.isUnderWay = false;
    plan.failures++;
    plan.dueAtMs = Math.min(plan.dueAtMs, nowMs + FAILED_FIT_PAUSE_MS);
  }

  /** True when a sheet is to be drawn now; it is under way from here on. */
  takeSheet(nowMs: number, sigmaMoveMax: number): boolean {
    if (this.#isDrawing || !this.#isSheetDue(nowMs, sigmaMoveMax)) return false;
    this.#isDrawing = true;
    this.#drawnAtMs = nowMs;
    this.#newModelAtMs = null;
    return true;
  }

  noteDrawn(): void {
    this.#isDrawing = false;
  }

  forget(ticker: Ticker): void {
    this.#fits.delete(ticker);
  }

  get fitsUnderWay(): number {
    return [...this.#fits.values()].filter(({ isUnderWay }) => isUnderWay).length;
  }

  #isSheetDue(nowMs: number, sigmaMoveMax: number): boolean {
    const isFirst = this.#drawnAtMs === Number.NEGATIVE_INFINITY;
    const laterMs = this.fitsUnderWay === 0 ? SHEET_SPACING_IDLE_MS : SHEET_SPACING_MS;
    const spacingMs = isFirst ? SHEET_FIRST_MS : laterMs;
    const sinceMs = isFirst ? (this.#newModelAtMs ?? nowMs) : this.#drawnAtMs;
    if (this.#newModelAtMs !== null && nowMs - sinceMs >= spacingMs) return true;
    if (isFirst) return false;
    return nowMs - this.#drawnAtMs >= (sigmaMoveMax > SIGMA_MOVE_MAX ? SHEET_SPACING_MS : SHEET_PERIOD_MS);
  }
}
