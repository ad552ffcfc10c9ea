/**
 * Who tries again while none of the sockets that share a budget of connects gets through: one of them, with its back-off;
 * the others wait for its success. If each tried for itself, six would spend a minute's connects on seconds of outage.
 */
export class ConnectProbe {
  #prober: object | null = null;
  /** In the order in which they began to wait. */
  readonly #waiting = new Map<object, () => void>();

  /** Whether a socket that did not get through is the one that tries; else it is told when to connect. */
  take(socket: object, onOpen: () => void): boolean {
    this.#prober ??= socket;
    if (this.#prober === socket) return true;
    this.#waiting.set(socket, onOpen);
    return false;
  }

  /** One got through: all that wait may try. */
  opened(): void {
    this.#prober = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const onOpen of waiting) onOpen();
  }

  /** A socket that is wanted no more; if it was the one that tries, the next one does. */
  leave(socket: object): void {
    this.#waiting.delete(socket);
    if (this.#prober !== socket) return;
    this.#prober = null;
    const next = this.#waiting.entries().next();
    if (next.done === true) return;
    const [heir, onOpen] = next.value;
    this.#waiting.delete(heir);
    this.#prober = heir;
    onOpen();
  }
}
