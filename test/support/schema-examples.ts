import { readFileSync, readdirSync } from "node:fs";
import { SCHEMAS_DIR } from "./closed-schema.ts";

/** The valid examples of a schema, each with its file's name. */
export function examplesOf<T>(name: string): (readonly [string, T])[] {
  const directory = `${SCHEMAS_DIR}/examples/${name}`;
  return readdirSync(directory)
    .filter((file) => file.startsWith("valid-"))
    .map((file) => [file, JSON.parse(readFileSync(`${directory}/${file}`, "utf8")) as T] as const);
}
