import type { Bar } from "../domain/bar.ts";
import { barAt, type BarColumns } from "../domain/bar-columns.ts";
import {
  drawdownAt,
  type DrawdownFacts,
  type DrawdownState,
  drawdownFactsOf,
  EMPTY_DRAWDOWN,
  updateDrawdown,
} from "../risk/drawdown.ts";

/** One asset's drawdown over its closed bars and the price of now. */
export class DrawdownTrack {
  #state: DrawdownState = EMPTY_DRAWDOWN;
  #facts = drawdownFactsOf(EMPTY_DRAWDOWN);
  /** The price that the facts are of; none where a bar came since. */
  #price = Number.NaN;

  get barCount(): number {
    return this.#state.barCount;
  }

  addBar(bar: Bar): void {
    this.#follow(updateDrawdown(this.#state, bar));
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
      this.#facts = drawdownFactsOf(drawdownAt(this.#state, price));
      this.#price = price;
    }
    return this.#facts;
  }

  #follow(state: DrawdownState): void {
    this.#state = state;
    this.#price = Number.NaN;
  }
}
