import { setImmediate as turn } from "node:timers/promises";

interface Waiting<Item, Verdict> {
  readonly item: Item;
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (cause: unknown) => void;
}

/**
 * Shares one durable commit, one fsync, among all that wait for it: while a commit runs, the next one fills up. A
 * verdict is given after its commit, never before.
 */
export class GroupCommit<Item, Verdict> {
  readonly #commit: (items: readonly Item[]) => Promise<readonly Verdict[]>;
  readonly #itemsMax: number;
  #waiting: Waiting<Item, Verdict>[] = [];
  #isRunning = false;

  constructor(commit: (items: readonly Item[]) => Promise<readonly Verdict[]>, itemsMax: number) {
    this.#commit = commit;
    this.#itemsMax = itemsMax;
  }

  /** Resolves once durable. A rejection promises nothing; the item may be added again. */
  add(item: Item): Promise<Verdict> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#isRunning) return;
      this.#isRunning = true;
      // After this turn of the loop, so that what arrives together is committed together.
      setImmediate(() => void this.#run());
    });
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, this.#itemsMax);
      try {
        const verdicts = await this.#commit(group.map(({ item }) => item));
        group.forEach(({ resolve }, index) => resolve(verdicts[index]!));
      } catch (cause) {
        for (const { reject } of group) reject(cause);
      }
      // A blocking driver leaves no turn of the loop of its own; new items arrive in this one.
      await turn();
    }
    this.#isRunning = false;
  }
}
