/** A programming error: a condition that the code itself guarantees did not hold. Never a user's fault. */
export class InvariantError extends Error {
  override readonly name = "InvariantError";
}

/** Asserts what must be true by construction; expected failures are values, not exceptions. Errors: InvariantError. */
export function invariant(condition: boolean, claim: string): asserts condition {
  if (!condition) throw new InvariantError(`invariant broken: ${claim}`);
}
