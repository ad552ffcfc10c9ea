import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { RecordLocation } from "../../src/outcomes/record-location.ts";
import type { WriterTask } from "./outcome-writer.ts";
import { outcomeWith } from "./record-backends.ts";

const SOURCE = fileURLToPath(new URL("outcome-writer.ts", import.meta.url));
const BUNDLE = fileURLToPath(new URL("../../dist/test/outcome-writer.cjs", import.meta.url));

/** One file starts several times faster than the query library's hundreds, and is started hundreds of times. */
export async function bundleWriter(): Promise<void> {
  await build({
    entryPoints: [SOURCE],
    outfile: BUNDLE,
    bundle: true,
    platform: "node",
    format: "cjs",
    external: ["libsql", "pg-native"],
    logLevel: "error",
  });
}

export interface Writing {
  /** trade_ids that were acknowledged. */
  readonly acknowledged: readonly string[];
}

export interface WritingOptions extends Pick<WriterTask, "location" | "run"> {
  readonly isPatient?: boolean;
  /** In front of node: a shell that sets limits. */
  readonly shell?: string;
  /** Told of every line while the program runs; may act on its process. */
  readonly onLine?: (line: string, pid: number) => void;
}

/** Runs the bundled program until it ends by itself or is killed. */
export async function write(options: WritingOptions): Promise<Writing> {
  const { location, run, shell, isPatient = false, onLine } = options;
  const task: WriterTask = { location, run, isPatient, outcome: outcomeWith() };
  const [program, ...programArguments] =
    shell === undefined
      ? [process.execPath, BUNDLE]
      : ["bash", "-c", `${shell}; exec "$0" "$@"`, process.execPath, BUNDLE];
  const child = spawn(program, programArguments, {
    env: { PATH: process.env["PATH"], WRITER_TASK: JSON.stringify(task) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const acknowledged: string[] = [];
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      if (line.startsWith("recorded ")) acknowledged.push(line.slice("recorded ".length));
      onLine?.(line, child.pid!);
    }
  });
  await once(child, "close");
  return { acknowledged };
}

/** Runs the program and kills it, as a power cut would, right after so many acknowledgements. */
export function writeUntilKilled(
  location: RecordLocation,
  run: string,
  afterAcknowledgements: number,
): Promise<Writing> {
  let seen = 0;
  return write({
    location,
    run,
    onLine: (_line, pid) => {
      seen += 1;
      if (seen === afterAcknowledgements) process.kill(pid, "SIGKILL");
    },
  });
}
