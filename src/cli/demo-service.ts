import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { causeText } from "../domain/cause-text.ts";
import { newKeyText } from "../http/key-text.ts";
import { usable } from "../process/data-directory.ts";
import { CommandFailure } from "./command-failure.ts";
import { type ListeningUrls, listeningUrls } from "./listening-urls.ts";

const PROGRAM = fileURLToPath(new URL("../main.js", import.meta.url));
/** More than a demo asks for in a minute. */
const RATE_LIMIT = "10000";

/** The service on an exchange simulated for it, with free ports and a data folder that goes with it. */
export interface DemoService extends ListeningUrls {
  readonly key: string;
  /** Resolves with the exit code when the process has ended, of itself or by the signal; null when it was killed. */
  readonly ended: Promise<number | null>;
}

/**
 * Ends when the signal says so; null when that was before it listened.
 *
 * Errors:  CommandFailure when the program ends of itself before that; what it says of that is on standard error.
 *          ConfigError where there is no room for its data folder
 */
export async function startDemoService(signal: AbortSignal): Promise<DemoService | null> {
  const key = newKeyText("demo");
  const dataDir = usable("TMPDIR", tmpdir(), () => mkdtempSync(join(tmpdir(), "breakwater-demo-")));
  const child = spawn(process.execPath, [PROGRAM], {
    env: {
      PORT: "0",
      BREAKWATER_SIMULATOR_PORT: "0",
      BREAKWATER_API_KEYS: key,
      BREAKWATER_RATE_LIMIT: RATE_LIMIT,
      BREAKWATER_DATA_DIR: dataDir,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve)).finally(() =>
    rmSync(dataDir, { recursive: true, force: true }),
  );
  signal.addEventListener("abort", () => child.kill("SIGTERM"));
  const urls = await listeningUrls(child).catch((cause: unknown) => {
    if (signal.aborted) return null;
    throw new CommandFailure(causeText(cause), { cause });
  });
  if (urls === null) return null;
  return { ...urls, key, ended };
}
