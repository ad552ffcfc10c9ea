/** What a caught cause says. A host with several addresses of which none answers says nothing itself, its parts do. */
export function causeText(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(causeText).join(", ");
  return cause instanceof Error ? cause.message : String(cause);
}
