/** The code of an error that was thrown, as the system's have one ("EEXIST"); undefined without. */
export function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
}

export function hasCode(cause: unknown, code: string): boolean {
  return codeOf(cause) === code;
}
