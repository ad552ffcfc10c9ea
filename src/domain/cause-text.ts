/** What a caught cause says. A host with several addresses of which none answers says nothing itself, its parts do. */
export function causeText(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(causeText).join(", ");
  return cause instanceof Error ? cause.message : String(cause);
}

/** The same with the error's kind, for a log. */
export function namedCauseText(cause: unknown): string {
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
}
