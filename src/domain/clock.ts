/** Where time comes from; passed in, so that tests and replays decide what time it is. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC. */
  nowMs(): number;
}

export const SYSTEM_CLOCK: Clock = { nowMs: () => Date.now() };
