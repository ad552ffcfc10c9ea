/** Where time comes from; passed in, so that tests and replays decide what time it is. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC. */
  nowMs(): number;
}

export const SYSTEM_CLOCK: Clock = { nowMs: () => Date.now() };

/** For how much time has passed: goes on evenly whatever the machine's clock is set to, and stands still while it sleeps. */
export const STEADY_CLOCK: Clock = { nowMs: () => performance.timeOrigin + performance.now() };
