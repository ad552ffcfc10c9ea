import { setImmediate as turn } from "node:timers/promises";

/**
 * One answer for everyone who asked before its making began: what was done before a question is in its answer, and
 * however many ask at once, one is made.
 */
export class NextAnswer<Answer> {
  readonly #make: () => Promise<Answer>;
  readonly #enqueue: (task: () => Promise<void>) => void;
  #waiting: ((answer: Answer) => void)[] = [];

  /** `enqueue` runs a task when those before it are done. */
  constructor(make: () => Promise<Answer>, enqueue: (task: () => Promise<void>) => void) {
    this.#make = make;
    this.#enqueue = enqueue;
  }

  ask(onAnswer: (answer: Answer) => void): void {
    if (this.#waiting.push(onAnswer) > 1) return;
    this.#enqueue(async () => {
      // A driver that blocks leaves no turn of the loop of its own, in which those come who asked meanwhile.
      await turn();
      const listeners = this.#waiting;
      this.#waiting = [];
      const answer = await this.#make();
      for (const listener of listeners) listener(answer);
    });
  }
}
