/** Where time comes from; passed in, so that tests and replays decide what time it is. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC. */
  nowMs(): number;
}

/** A clock that has to be told the time by somebody else. */
export interface ToldClock extends Clock {
  /** False from when it may have missed some of it until it is told again. */
  readonly isKnown: boolean;
}

export const SYSTEM_CLOCK: Clock = { nowMs: () => Date.now() };

/** For how much time has passed: goes on evenly whatever the machine's clock is set to, and stands still while it sleeps. */
export const STEADY_CLOCK: Clock = { nowMs: () => performance.timeOrigin + performance.now() };
