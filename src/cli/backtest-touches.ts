import type { RealisedReturn } from "../domain/forecast-row.ts";

export const TOUCH_MOVES = [0.02, 0.05, 0.1, 0.15, 0.2, 0.3] as const;

export interface TouchRow {
  readonly move: number;
  readonly coinDays: number;
  readonly predictedRate: number;
  readonly observedRate: number;
  readonly ratio: number | null;
}

interface TouchSum {
  predicted: number;
  observed: number;
}

export interface TouchDump {
  readonly coinDays: number;
  readonly falls: readonly TouchSum[];
  readonly rises: readonly TouchSum[];
}

/** How often a price was expected to touch a distance within a day, and how often it did. */
export class TouchTable {
  #coinDays = 0;
  readonly #falls = TOUCH_MOVES.map((): TouchSum => ({ predicted: 0, observed: 0 }));
  readonly #rises = TOUCH_MOVES.map((): TouchSum => ({ predicted: 0, observed: 0 }));

  /** Probabilities of touching a log distance below and above. */
  add(
    outcome: RealisedReturn,
    fallProbability: (logDistance: number) => number,
    riseProbability: (logDistance: number) => number,
  ): void {
    this.#coinDays++;
    TOUCH_MOVES.forEach((move, i) => {
      const down = -Math.log1p(-move);
      const up = Math.log1p(move);
      this.#falls[i]!.predicted += fallProbability(down);
      this.#falls[i]!.observed += outcome.logLow <= -down ? 1 : 0;
      this.#rises[i]!.predicted += riseProbability(up);
      this.#rises[i]!.observed += outcome.logHigh >= up ? 1 : 0;
    });
  }

  /** What absorb reads; plain data, so that it crosses threads. */
  dump(): TouchDump {
    return { coinDays: this.#coinDays, falls: this.#falls, rises: this.#rises };
  }

  absorb({ coinDays, falls, rises }: TouchDump): void {
    this.#coinDays += coinDays;
    for (const [into, from] of [
      [this.#falls, falls],
      [this.#rises, rises],
    ] as const) {
      into.forEach((sum, i) => {
        sum.predicted += from[i]!.predicted;
        sum.observed += from[i]!.observed;
      });
    }
  }

  rows(side: "falls" | "rises"): readonly TouchRow[] {
    const sums = side === "falls" ? this.#falls : this.#rises;
    return TOUCH_MOVES.map((move, i) => {
      const { predicted, observed } = sums[i]!;
      return {
        move,
        coinDays: this.#coinDays,
        predictedRate: predicted / this.#coinDays,
        observedRate: observed / this.#coinDays,
        ratio: observed === 0 ? null : predicted / observed,
      };
    });
  }
}
