/** What a caught cause says. A host with several addresses of which none answers says nothing itself, its parts do. */
export function causeText(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(causeText).join(", ");
  return cause instanceof Error ? cause.message : String(cause);
}

/** A failure of a file with its path: a failed read or write of an open file does not say of which. */
export function namedBy(path: string, cause: unknown): Error {
  return new Error(`${path}: ${causeText(cause)}`, { cause });
}
