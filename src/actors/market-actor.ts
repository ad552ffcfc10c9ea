import { createActor } from "xstate";
import type { Readiness } from "../snapshot/engine-status.ts";
import { marketMachine, type MarketTally } from "./market-machine.ts";

/** The market as a whole, told every second or more often what was counted. */
export class MarketActor {
  readonly #reportError: (error: unknown) => void;
  #actor: ReturnType<typeof startedActor>;

  constructor(reportError: (error: unknown) => void) {
    this.#reportError = reportError;
    this.#actor = startedActor((error) => this.#restart(error));
  }

  get readiness(): Readiness {
    return this.#actor.getSnapshot().value;
  }

  tally(tally: MarketTally): Readiness {
    this.#actor.send({ type: "market.tallied", tally });
    return this.readiness;
  }

  stop(): void {
    this.#actor.stop();
  }

  #restart(error: unknown): void {
    this.#reportError(error);
    this.#actor = startedActor((next) => this.#restart(next));
  }
}

function startedActor(onError: (error: unknown) => void) {
  const actor = createActor(marketMachine);
  actor.subscribe({ error: onError });
  return actor.start();
}
