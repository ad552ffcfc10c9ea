import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { gunzipSync } from "node:zlib";
import { causeText } from "../domain/cause-text.ts";
import { CommandFailure } from "./command-failure.ts";

/** Names of a directory's files, in order. Errors: CommandFailure when it cannot be read. */
export function filesIn(directory: string): readonly string[] {
  if (!existsSync(directory)) throw new CommandFailure(`${directory} does not exist`);
  return named(directory, () => readdirSync(directory).toSorted());
}

/** A file's text, unpacked where its name ends in .gz. Errors: CommandFailure with the path. */
export function fileText(path: string): string {
  return named(path, () => {
    const bytes = readFileSync(path);
    return (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  });
}

/** The lines of such a text. Errors: the same. */
export function fileLines(path: string): readonly string[] {
  return fileText(path).trimEnd().split("\n");
}

/** Before hours of work: their outcome has a place. Errors: CommandFailure when the file cannot be written to. */
export function requireWritable(file: string, option: string): void {
  if (!existsSync(dirname(file))) throw new CommandFailure(`${option}: ${dirname(file)} does not exist`);
  const isNew = !existsSync(file);
  named(`${option} cannot be used`, () => {
    closeSync(openSync(file, "a"));
    if (isNew) unlinkSync(realpathSync(file));
  });
}

/** Writes what a command has found. Errors: CommandFailure that names the option, for a disk that is full. */
export function writeFound(file: string, text: string, option: string): void {
  named(`${option}: ${file} is incomplete`, () => writeFileSync(file, text));
}

function named<T>(what: string, access: () => T): T {
  try {
    return access();
  } catch (cause) {
    throw new CommandFailure(`${what}: ${causeText(cause)}`, { cause });
  }
}
