const PLACEHOLDER = '"latency_ms":0';

/**
 * The body's JSON text with meta.latency_ms filled in last, so that the number covers the rendering of the text as
 * well. The body carries 0 in its place.
 *
 * Units:  milliseconds, rounded to a tenth of a microsecond
 */
export function jsonWithLatency(
  body: { readonly meta: { readonly latency_ms: number } },
  elapsedMs: () => number,
): string {
  const text = JSON.stringify(body);
  const at = text.lastIndexOf(PLACEHOLDER);
  const latencyMs = Math.max(0, elapsedMs());
  return `${text.slice(0, at)}"latency_ms":${latencyMs.toFixed(4)}${text.slice(at + PLACEHOLDER.length)}`;
}
