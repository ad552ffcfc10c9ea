import { DAY_MS, HOUR_MS } from "../domain/bar.ts";
import type { Ticker } from "../domain/ids.ts";
import { RESCALE_MAX } from "../risk/scenarios/rescale.ts";
import { REFIT_DEADLINES } from "./refit-host.ts";

/** A model is fitted anew after this long; the first fits are spread by the back-fill, so the later ones are too. */
const FIT_PERIOD_MS = DAY_MS;
/** Fewer bars than this, closing a gap in their order, are steps of the model in force. */
const REFIT_BARS_MIN = 48;
/** A fit that failed is tried again on a lower rung after this long, and a sheet that failed as it was. */
const FAILED_PAUSE_MS = 60_000;
/** An asset without a model asks again this often: its history or its peers may have come. */
const UNFITTED_PERIOD_MS = 10 * 60_000;
/** The first sheet comes with the first few models, so that the service is ready before all of them are. */
const SHEET_FIRST_MS = 250;
/** Sheets are drawn at most this often for new models, and so that drawing takes a small share of the thread. */
const SHEET_SPACING_MS = 3_000;
const SHEET_SPACING_DURATIONS = 5;
/** First models that come in quicker succession are drawn together, unless that takes so many times the last draw. */
const FIRST_MODEL_PAUSE_MS = 500;
const FIRST_SPACING_DURATIONS = 8;
/** Models count as complete when none has come for this long: until then sheets are quick. */
const SETTLED_MS = 3_000;
/** Moves of sigma are in the rescaled numbers at once; the sheet's shape follows this often, beyond rescaling at once. */
const SIGMA_SPACING_MS = 15_000;
/** Records are read and replayed after the models are fitted: what the first of them teach waits so long for the others. */
const LESSONS_SPACING_MS = 5 * 60_000;
/** A sheet serves at most an hour, and less when sigma moved by this ratio. */
const SHEET_PERIOD_MS = HOUR_MS;
const SIGMA_MOVE_MAX = 1.2;

/** How far the next fit of an asset steps down the ladder: 1 after one failure, and so on. */
export type StepsDown = number;

/** How many paths stand behind the numbers of a single asset: a quarter of them in a quick sheet. */
export type SheetKind = "quick" | "full";

interface FitPlan {
  dueAtMs: number;
  isUnderWay: boolean;
  failures: number;
  isModelled: boolean;
}

/**
 * What is to be fitted and drawn when: fits on new history and once a day, sheets hourly, on moves of sigma, minutes after
 * a start has read what records teach, and soon after new models, several at a time, quick ones while the first models
 * are still coming. Where sigma has moved beyond what rescaling is for, drawing may take half of the thread.
 *
 * Holds:  at most one fit per asset and one sheet under way
 */
export class RefitSchedule {
  readonly #fits = new Map<Ticker, FitPlan>();
  #drawing: SheetKind | null = null;
  #drawnAtMs = Number.NEGATIVE_INFINITY;
  #drawingMs = 0;
  /** When the first model came that no sheet has; null when every model is in a sheet. */
  #newModelAtMs: number | null = null;
  /** Assets that wait for their first numbers: their first models are in no sheet. */
  readonly #undrawn = new Set<Ticker>();
  #lastModelAtMs: number | null = null;
  /** How many assets' records teach, and when the first did that no sheet has; null when every lesson is in a sheet. */
  #lessons = 0;
  #newLessonAtMs: number | null = null;
  #lastFirstModelAtMs = Number.NEGATIVE_INFINITY;
  /** A full sheet was drawn: from then on every sheet is full. */
  #isComplete = false;
  /** When a sheet is drawn at the latest, since one failed. */
  #retryAtMs: number | null = null;

  /** History was added: the first of it makes a model due, later only as much as may change one. */
  noteHistory(ticker: Ticker, addedBars: number, nowMs: number): void {
    const plan = this.#fits.get(ticker);
    if (plan === undefined)
      this.#fits.set(ticker, { dueAtMs: nowMs, isUnderWay: false, failures: 0, isModelled: false });
    else if (addedBars >= REFIT_BARS_MIN) plan.dueAtMs = nowMs;
  }

  /** Something came that the model of an asset does not know: bars it stepped over, other peers, another listing. */
  noteFitDue(ticker: Ticker, nowMs: number): void {
    const plan = this.#fits.get(ticker);
    if (plan !== undefined) plan.dueAtMs = nowMs;
  }

  /** The model of an asset is lost: another is due. */
  noteModelLost(ticker: Ticker, nowMs: number): void {
    const plan = this.#fits.get(ticker);
    if (plan === undefined) return;
    plan.dueAtMs = nowMs;
    plan.isModelled = false;
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

  /** Of an asset whose fit is under way, as below. */
  noteFitted(ticker: Ticker, hasModel: boolean, nowMs: number): void {
    const plan = this.#fits.get(ticker)!;
    plan.isUnderWay = false;
    plan.failures = 0;
    if (hasModel) {
      if (!plan.isModelled) {
        plan.isModelled = true;
        this.#undrawn.add(ticker);
        this.#lastFirstModelAtMs = nowMs;
      }
      this.#newModelAtMs ??= nowMs;
      this.#lastModelAtMs = nowMs;
    } else plan.dueAtMs = Math.min(plan.dueAtMs, nowMs + UNFITTED_PERIOD_MS);
  }

  noteFitFailed(ticker: Ticker, nowMs: number): void {
    const plan = this.#fits.get(ticker)!;
    plan.isUnderWay = false;
    plan.failures++;
    plan.dueAtMs = Math.min(plan.dueAtMs, nowMs + FAILED_PAUSE_MS);
  }

  /** How many assets' own records say what sigma is multiplied by. */
  noteLessons(lessons: number, nowMs: number): void {
    if (lessons > this.#lessons) this.#newLessonAtMs ??= nowMs;
    this.#lessons = lessons;
  }

  /**
   * A sheet to be drawn now, which is under way from here on; null when none is due. Until every asset has had its
   * first models, quick ones are drawn as they come, so that no asset waits for another's history.
   */
  takeSheet(nowMs: number, sigmaMoveMax: number): SheetKind | null {
    if (this.#drawing !== null) return null;
    const kind = this.#dueSheet(nowMs, sigmaMoveMax);
    if (kind === null) return null;
    this.#drawing = kind;
    this.#drawnAtMs = nowMs;
    this.#newModelAtMs = null;
    this.#newLessonAtMs = null;
    this.#undrawn.clear();
    this.#retryAtMs = null;
    return kind;
  }

  /** Drawing has ended, with a sheet or without: the models that were to be in it wait for another then. */
  noteDrawn(isDrawn: boolean, nowMs: number): void {
    if (!isDrawn) this.#retryAtMs = nowMs + FAILED_PAUSE_MS;
    else if (this.#drawing === "full") this.#isComplete = true;
    this.#drawing = null;
    // No draw is let go on for longer: the clock was set forward, or the machine slept.
    const tookMs = nowMs - this.#drawnAtMs;
    if (tookMs <= REFIT_DEADLINES.sheetDeadlineMs) this.#drawingMs = tookMs;
  }

  get fitsUnderWay(): number {
    return [...this.#fits.values()].filter(({ isUnderWay }) => isUnderWay).length;
  }

  /** Of assets without a model. */
  get firstFitsUnderWay(): number {
    return [...this.#fits.values()].filter(({ isUnderWay, isModelled }) => isUnderWay && !isModelled).length;
  }

  /** How long a sheet serves that no new model waits for. */
  #periodMs(sigmaMoveMax: number, spacingMs: number): number {
    if (sigmaMoveMax > RESCALE_MAX.value) return Math.max(SHEET_SPACING_MS, 2 * this.#drawingMs);
    return sigmaMoveMax > SIGMA_MOVE_MAX ? Math.max(SIGMA_SPACING_MS, spacingMs) : SHEET_PERIOD_MS;
  }

  /** At the start drawing goes ahead of the fits of assets that have a model, but not of first fits. */
  #spacingMs(nowMs: number): number {
    if (this.#isComplete) return Math.max(SHEET_SPACING_MS, SHEET_SPACING_DURATIONS * this.#drawingMs);
    const areFirstComing =
      this.firstFitsUnderWay > 0 || nowMs - this.#lastFirstModelAtMs < FIRST_MODEL_PAUSE_MS;
    return areFirstComing ? FIRST_SPACING_DURATIONS * this.#drawingMs : SHEET_SPACING_MS;
  }

  #dueSheet(nowMs: number, sigmaMoveMax: number): SheetKind | null {
    if (this.#lastModelAtMs === null) return null;
    const isSettled = this.fitsUnderWay === 0 && nowMs - this.#lastModelAtMs >= SETTLED_MS;
    const kind = this.#isComplete || isSettled ? "full" : "quick";
    if (this.#retryAtMs !== null && nowMs >= this.#retryAtMs) return kind;
    if (this.#newLessonAtMs !== null && nowMs - this.#newLessonAtMs >= LESSONS_SPACING_MS) return kind;
    const isFirst = this.#drawnAtMs === Number.NEGATIVE_INFINITY;
    const spacingMs = this.#spacingMs(nowMs);
    const isSpaced = isFirst
      ? nowMs - (this.#newModelAtMs ?? nowMs) >= SHEET_FIRST_MS
      : nowMs - this.#drawnAtMs >= spacingMs;
    // A quick sheet is for assets that have no numbers yet; better models of the others wait for the full one.
    const isWanted =
      kind === "quick" ? this.#undrawn.size > 0 : this.#newModelAtMs !== null || !this.#isComplete;
    if (isSpaced && isWanted) return kind;
    return !isFirst && nowMs - this.#drawnAtMs >= this.#periodMs(sigmaMoveMax, spacingMs) ? kind : null;
  }
}
