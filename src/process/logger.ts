import { pino, type Logger } from "pino";
import type { LogLevel } from "../config.ts";
import { LogOutput } from "./log-output.ts";

/** One JSON line per event, on standard output unless another is given. Callers never hand it a wallet or a key. */
export function createLogger(level: LogLevel, output = standardOutput()): Logger {
  return pino(
    {
      level,
      base: null,
      redact: ["authorization", "key"],
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    output,
  );
}

function standardOutput(): LogOutput {
  // Asked for its stream, the main thread makes a pipe one that refuses what it has no room for; a worker's has no number.
  const { fd = 1 } = process.stdout as { readonly fd?: number };
  const output = new LogOutput(fd);
  process.once("exit", () => output.flushSync());
  return output;
}
