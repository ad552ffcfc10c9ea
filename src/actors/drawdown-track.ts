import type { Bar } from "../domain/bar.ts";
import { barAt, type BarColumns } from "../domain/bar-columns.ts";
import {
  averageRangeAt,
  drawdownAt,
  type DrawdownFacts,
  type DrawdownState,
  drawdownFactsOf,
  EMPTY_DRAWDOWN,
  updateDrawdown,
} from "../risk/drawdown.ts";

/** One asset's drawdown over its closed bars, the running hour and the price of now. */
export class DrawdownTrack {
  #state: DrawdownState = EMPTY_DRAWDOWN;
  /** Of the closed bars, or with a running hour that is wider. */
  #atr = EMPTY_DRAWDOWN.atr;
  #facts = drawdownFactsOf(EMPTY_DRAWDOWN);
  /** The price that the facts are of; none where a bar came since. */
  #price = Number.NaN;

  get barCount(): number {
    return this.#state.barCount;
  }

  addBar(bar: Bar): void {
    this.#follow(updateDrawdown(this.#state, bar));
  }

  /** The running hour as it stands; true when it changes the facts. */
  watch(partial: Bar): boolean {
    const atr = averageRangeAt(this.#state, partial);
    if (atr === this.#atr) return false;
    this.#atr = atr;
    this.#price = Number.NaN;
    return true;
  }

  /** Over all bars: each that comes then takes the place of the oldest. */
  replay(bars: BarColumns): void {
    let state = EMPTY_DRAWDOWN;
    for (let i = 0; i < bars.length; i++) state = updateDrawdown(state, barAt(bars, i));
    this.#follow(state);
  }

  /** The same object while nothing has changed: only what is new is told on. Null before the first bar. */
  factsAt(price: number): DrawdownFacts | null {
    if (price !== this.#price) {
      this.#facts = drawdownFactsOf(drawdownAt(this.#state, price, this.#atr));
      this.#price = price;
    }
    return this.#facts;
  }

  #follow(state: DrawdownState): void {
    this.#state = state;
    this.#atr = state.atr;
    this.#price = Number.NaN;
  }
}
