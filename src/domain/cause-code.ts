/** Whether what was thrown is an error with this code, as the system's are ("EEXIST"). */
export function hasCode(cause: unknown, code: string): boolean {
  return cause instanceof Error && "code" in cause && cause.code === code;
}
