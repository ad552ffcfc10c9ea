/** Calls under way, one for each key: whoever asks for the same before it is answered shares it. */
export class SharedCalls<Key, Answer> {
  readonly #underWay = new Map<Key, Promise<Answer>>();

  /** The answer of the call that is under way for the key, else of a new one. It is over before its answer is heard. */
  share(key: Key, call: () => Promise<Answer>): Promise<Answer> {
    const shared = this.#underWay.get(key);
    if (shared !== undefined) return shared;
    const begun = call().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, begun);
    return begun;
  }
}
