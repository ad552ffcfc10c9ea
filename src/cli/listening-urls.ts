import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

/** Where a service listens, and the simulated exchange inside of it; "" where there is none. */
export interface ListeningUrls {
  readonly url: string;
  readonly simulatorUrl: string;
}

/** Reads the log of a service that was just started until it listens. Errors: rejects when it ends before that. */
export function listeningUrls(
  child: ChildProcess,
  onLine: (line: string) => void = () => undefined,
): Promise<ListeningUrls> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the service ended with ${code} before it listened`)));
    let simulatorUrl = "";
    createInterface({ input: child.stdout! }).on("line", (line) => {
      onLine(line);
      if (!line.startsWith("{")) return;
      const { event, url = "" } = JSON.parse(line) as { event?: string; url?: string };
      if (event === "simulator.listening") simulatorUrl = url;
      if (event === "service.listening") resolve({ url, simulatorUrl });
    });
  });
}
