import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { ConfigError } from "../config.ts";
import { causeText } from "../domain/cause-text.ts";

const { R_OK, W_OK, X_OK } = constants;

/**
 * Makes the folder where things are kept; `setting` is what named it.
 *
 * Errors:  ConfigError when there is none to be had that can be written to
 */
export function prepareDataDirectory(path: string, setting = "BREAKWATER_DATA_DIR"): void {
  try {
    makeFolder(path);
    accessSync(`${path}/.`, R_OK | W_OK | X_OK);
  } catch (cause) {
    throw new ConfigError(`${setting} cannot be used: ${causeText(cause)}`);
  }
}

/** Node's own recursion does not end where the parent exists and nothing can be made in it, as under /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (cause) {
    // Another program may have been faster.
    if (!existsSync(path)) throw cause;
  }
}
