import { accessSync, constants, mkdirSync } from "node:fs";
import { ConfigError } from "./config.ts";

const { R_OK, W_OK, X_OK } = constants;

/** Makes the folder where things are kept. Errors: ConfigError when there is none to be had that can be written to. */
export function prepareDataDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
    accessSync(path, R_OK | W_OK | X_OK);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(`BREAKWATER_DATA_DIR cannot be used: ${reason}`);
  }
}
