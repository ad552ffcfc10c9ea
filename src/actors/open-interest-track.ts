import type { AssetContext } from "../domain/asset.ts";
import type { LearnedHour } from "../domain/learned-hour.ts";
import { buildOpenInterest, type OpenInterestFacts } from "../risk/liquidity/open-interest.ts";
import { HourlyMaximum } from "./hourly-maximum.ts";

/** Of an asset whose context has not been read. */
const NOTHING_SEEN = { openInterestBase: 0, markPrice: 0, volume24hUsd: 0 };

/** One asset's open interest against the cap that its own past has shown. */
export class OpenInterestTrack {
  #isAtCap = false;
  #learnedCapUsd: number | null = null;
  readonly #observedUsd = new HourlyMaximum();
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

  /** What earlier runs saw, oldest first; a cap seen in this run stands. */
  restore(hours: readonly LearnedHour[], marketTimeMs: number): void {
    const lastCapped = hours.findLast(({ learnedCapUsd }) => !Number.isNaN(learnedCapUsd));
    this.#learnedCapUsd ??= lastCapped?.learnedCapUsd ?? null;
    this.#observedUsd.restore(
      hours.map(({ hourStartMs, openInterestMaxUsd }) => ({ hourStartMs, value: openInterestMaxUsd })),
    );
    // What it was listed with.
    this.#observedUsd.add(marketTimeMs, this.#openInterestUsd);
    this.#facts = this.#rebuilt();
  }

  update(context: AssetContext, marketTimeMs: number): void {
    this.#context = context;
    this.#observedUsd.add(marketTimeMs, this.#openInterestUsd);
    this.#facts = this.#rebuilt();
  }

  reportCap(isAtCap: boolean): void {
    this.#isAtCap = isAtCap;
    this.#facts = this.#rebuilt();
  }

  get #openInterestUsd(): number {
    const { openInterestBase, markPrice } = this.#context ?? NOTHING_SEEN;
    return openInterestBase * markPrice;
  }

  #rebuilt(): OpenInterestFacts {
    const { openInterestBase, markPrice, volume24hUsd } = this.#context ?? NOTHING_SEEN;
    const openInterestUsd = this.#openInterestUsd;
    if (this.#isAtCap && openInterestUsd > 0) this.#learnedCapUsd = openInterestUsd;
    const facts = buildOpenInterest({
      openInterestBase,
      markPrice,
      volume24hUsd,
      isAtCap: this.#isAtCap,
      learnedCapUsd: this.#learnedCapUsd,
      observedMaxUsd: this.#observedUsd.value,
    });
    // A raise that was seen holds when the open interest has fallen again.
    const isRaised = this.#learnedCapUsd !== null && openInterestUsd > this.#learnedCapUsd;
    if (isRaised) this.#learnedCapUsd = facts.capUsd;
    return facts;
  }
}
