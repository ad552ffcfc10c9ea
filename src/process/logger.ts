import { pino, type Logger } from "pino";
import type { LogLevel } from "../config.ts";

/** One JSON line per event on standard output. Callers never hand it a wallet or a key. */
export function createLogger(level: LogLevel): Logger {
  return pino({
    level,
    base: null,
    redact: ["authorization", "key"],
    timestamp: pino.stdTimeFunctions.isoTime,
  });
}
