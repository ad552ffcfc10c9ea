import { invariant } from "./invariant.ts";

/** The newest values of a series in a fixed amount of memory, with their sum kept exact enough to be read at any time. */
export class RingBuffer {
  readonly #values: Float64Array;
  #next = 0;
  #length = 0;
  #sum = 0;
  /** What rounding has taken from the sum so far (Neumaier). */
  #correction = 0;

  constructor(capacity: number) {
    invariant(Number.isInteger(capacity) && capacity > 0, "capacity is a positive integer");
    this.#values = new Float64Array(capacity);
  }

  get capacity(): number {
    return this.#values.length;
  }

  get length(): number {
    return this.#length;
  }

  /** Sum of the kept values, compensated: no drift however many values passed through. */
  get sum(): number {
    return this.#sum + this.#correction;
  }

  /** Mean of the kept values, NaN of none. */
  get mean(): number {
    return this.sum / this.#length;
  }

  /** Adds a value; the oldest falls out when the buffer is full. */
  push(value: number): void {
    invariant(Number.isFinite(value), "a ring buffer holds finite numbers");
    if (this.#length === this.capacity) this.#add(-this.#values[this.#next]!);
    else this.#length++;
    this.#values[this.#next] = value;
    this.#next = this.#next + 1 === this.capacity ? 0 : this.#next + 1;
    this.#add(value);
  }

  /** The value `age` pushes ago, 0 the newest; undefined beyond what is kept. */
  at(age: number): number | undefined {
    if (age < 0 || age >= this.#length) return undefined;
    const index = this.#next - 1 - age;
    return this.#values[index < 0 ? index + this.capacity : index];
  }

  /** The kept values, oldest first. */
  toArray(): Float64Array {
    if (this.#length < this.capacity) return this.#values.slice(0, this.#length);
    const out = new Float64Array(this.capacity);
    out.set(this.#values.subarray(this.#next));
    out.set(this.#values.subarray(0, this.#next), this.capacity - this.#next);
    return out;
  }

  #add(value: number): void {
    const sum = this.#sum + value;
    this.#correction +=
      Math.abs(this.#sum) >= Math.abs(value) ? this.#sum - sum + value : value - sum + this.#sum;
    this.#sum = sum;
  }
}
