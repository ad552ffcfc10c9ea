import type { MessagePort } from "node:worker_threads";
import { portChannel, type SnapshotChannel, type SnapshotMessage } from "./snapshot-channel.ts";
import type { SnapshotStore } from "./snapshot-store.ts";

/**
 * What the engine publishes, kept by this thread's store and told to those of other threads. A port that is added late,
 * or again, is first told everything that the store holds.
 */
export class SnapshotFanOut {
  readonly #store: SnapshotStore;
  readonly #channels = new Map<MessagePort, SnapshotChannel>();

  constructor(store: SnapshotStore) {
    this.#store = store;
  }

  accept(message: SnapshotMessage): void {
    this.#store.accept(message);
    for (const channel of this.#channels.values()) channel.publish(message);
  }

  /** The port's other end is read by receiveSnapshots. */
  add(port: MessagePort): void {
    const channel = portChannel(port);
    for (const message of this.#store.messages()) channel.publish(message);
    this.#channels.set(port, channel);
  }

  /** Tells a port nothing until it is added again: what a thread does not read waits in memory, megabytes a second. */
  leaveOut(port: MessagePort): void {
    this.#channels.delete(port);
  }

  /** Closes the port. */
  remove(port: MessagePort): void {
    this.leaveOut(port);
    port.close();
  }
}
