import type { AssetContext } from "../domain/asset.ts";
import { buildOpenInterest, type OpenInterestFacts } from "../risk/liquidity/open-interest.ts";

/** Of an asset whose context has not been read. */
const NOTHING_SEEN = { openInterestBase: 0, markPrice: 0, volume24hUsd: 0 };

/** One asset's open interest against the cap that its own past has shown. */
export class OpenInterestTrack {
  #isAtCap = false;
  #learnedCapUsd: number | null = null;
  #observedMaxUsd = 0;
  #context: AssetContext | null;
  #facts: OpenInterestFacts;

  constructor(context: AssetContext | null) {
    this.#context = context;
    this.#facts = this.#rebuilt();
  }

  get facts(): OpenInterestFacts {
    return this.#facts;
  }

  /** What was open when the asset was last seen at its cap, or the raise that was seen since; null until then. */
  get learnedCapUsd(): number | null {
    return this.#learnedCapUsd;
  }

  /** What earlier runs saw; a cap seen in this run stands. */
  restore(learnedCapUsd: number | null, observedMaxUsd: number): void {
    this.#learnedCapUsd ??= learnedCapUsd;
    this.#observedMaxUsd = Math.max(this.#observedMaxUsd, observedMaxUsd);
    this.#facts = this.#rebuilt();
  }

  update(context: AssetContext): void {
    this.#context = context;
    this.#facts = this.#rebuilt();
  }

  reportCap(isAtCap: boolean): void {
    this.#isAtCap = isAtCap;
    this.#facts = this.#rebuilt();
  }

  #rebuilt(): OpenInterestFacts {
    const { openInterestBase, markPrice, volume24hUsd } = this.#context ?? NOTHING_SEEN;
    const openInterestUsd = openInterestBase * markPrice;
    this.#observedMaxUsd = Math.max(this.#observedMaxUsd, openInterestUsd);
    if (this.#isAtCap && openInterestUsd > 0) this.#learnedCapUsd = openInterestUsd;
    const facts = buildOpenInterest({
      openInterestBase,
      markPrice,
      volume24hUsd,
      isAtCap: this.#isAtCap,
      learnedCapUsd: this.#learnedCapUsd,
      observedMaxUsd: this.#observedMaxUsd,
    });
    // A raise that was seen holds when the open interest has fallen again.
    const isRaised = this.#learnedCapUsd !== null && openInterestUsd > this.#learnedCapUsd;
    if (isRaised) this.#learnedCapUsd = facts.capUsd;
    return facts;
  }
}
