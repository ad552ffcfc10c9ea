import { ascendingOrder } from "../../math/radix-sort.ts";

/**
 * Forecasts by their distinct values, of which scores of one decimal have a thousand a calibration however many
 * outcomes there are.
 *
 * Shapes:  values strictly ascending; one place a forecast, values[places[i]] the i-th
 */
export interface TiedForecasts {
  readonly values: Float64Array;
  readonly places: Uint32Array;
}

/** What happened after forecasts of each value. Shapes: columns of one length. */
export interface TiedOutcomes {
  /** Strictly ascending. */
  readonly values: Float64Array;
  readonly counts: Float64Array;
  readonly events: Float64Array;
}

export function tiedForecasts(probabilities: Float64Array): TiedForecasts {
  const values: number[] = [];
  const places = new Uint32Array(probabilities.length);
  for (const i of ascendingOrder(probabilities)) {
    if (probabilities[i] !== values.at(-1)) values.push(probabilities[i]!);
    places[i] = values.length - 1;
  }
  return { values: Float64Array.from(values), places };
}

/** Counts what happened after the first forecasts, after more of them each time. */
export class TiedOutcomeCounter {
  readonly #ties: TiedForecasts;
  readonly #outcomes: Uint8Array;
  readonly #counts: Float64Array;
  readonly #events: Float64Array;
  #counted = 0;

  constructor(ties: TiedForecasts, outcomes: Uint8Array) {
    this.#ties = ties;
    this.#outcomes = outcomes;
    this.#counts = new Float64Array(ties.values.length);
    this.#events = new Float64Array(ties.values.length);
  }

  /** What happened after the first forecasts up to one, not before the last asked for. */
  upTo(end: number): TiedOutcomes {
    for (; this.#counted < end; this.#counted++) {
      const place = this.#ties.places[this.#counted]!;
      this.#counts[place]! += 1;
      this.#events[place]! += this.#outcomes[this.#counted]!;
    }
    return this.#made();
  }

  /** Without the values that no forecast had so far. */
  #made(): TiedOutcomes {
    const { values } = this.#ties;
    const places = new Uint32Array(values.length);
    let made = 0;
    for (let place = 0; place < values.length; place++) if (this.#counts[place]! > 0) places[made++] = place;
    const pick = (column: Float64Array): Float64Array => {
      const picked = new Float64Array(made);
      for (let i = 0; i < made; i++) picked[i] = column[places[i]!]!;
      return picked;
    };
    return { values: pick(values), counts: pick(this.#counts), events: pick(this.#events) };
  }
}
