import { fileURLToPath } from "node:url";

/** The file of a built program, by its path in src. */
export function builtProgram(path: string): string {
  return fileURLToPath(new URL(`../../dist/${path}.js`, import.meta.url));
}
