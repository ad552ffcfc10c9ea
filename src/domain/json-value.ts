/** The text's JSON; undefined, which JSON itself cannot say, when it is not JSON. */
export function jsonValueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
