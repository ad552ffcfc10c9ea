import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { CommandFailure } from "./command-failure.ts";

const PROGRAM = fileURLToPath(new URL("../main.js", import.meta.url));
/** More than a demo asks for in a minute. */
const RATE_LIMIT = "10000";

/** The service on an exchange simulated for it, with free ports and a data folder that goes with it. */
export interface DemoService {
  readonly url: string;
  readonly simulatorUrl: string;
  readonly key: string;
  /** Resolves with the exit code when the process has ended, of itself or by stop; null when it was killed. */
  readonly ended: Promise<number | null>;
  stop(): Promise<number | null>;
}

/** Errors:  CommandFailure when the program ends before it listens; what it says of that is on standard error */
export async function startDemoService(): Promise<DemoService> {
  const key = `demo_${randomBytes(16).toString("base64url")}`;
  const dataDir = mkdtempSync(join(tmpdir(), "breakwater-demo-"));
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
  const urls = await Promise.race([listeningUrls(child), ended.then(() => null)]);
  if (urls === null) throw new CommandFailure("the service ended before it listened");
  const stop = (): Promise<number | null> => {
    child.kill("SIGTERM");
    return ended;
  };
  return { ...urls, key, ended, stop };
}

/** As the program's log says them. */
function listeningUrls(child: ChildProcess): Promise<Pick<DemoService, "url" | "simulatorUrl">> {
  return new Promise((resolve) => {
    let simulatorUrl = "";
    createInterface({ input: child.stdout! }).on("line", (line) => {
      if (!line.startsWith("{")) return;
      const { event, url = "" } = JSON.parse(line) as { event?: string; url?: string };
      if (event === "simulator.listening") simulatorUrl = url;
      if (event === "service.listening") resolve({ url, simulatorUrl });
    });
  });
}
