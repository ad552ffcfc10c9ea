import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { BENCH_HEADERS, type ServerProcess, startPlainServer } from "./child-process.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** The rest are the framework's, which writes them for every server. */
const WRITTEN_HEADERS = /^(content-type|keep-alive|ratelimit-.*)$/;

/** A bare uWebSockets.js server of the headers and bytes that the service answers to an order now. */
export async function startBareTwin({ url }: ServerProcess, order: string): Promise<ServerProcess> {
  const first = await fetch(`${url}/v1/validate`, { method: "POST", headers: BENCH_HEADERS, body: order });
  const answer = join(temporaryFolder(), "answer.json");
  writeFileSync(answer, Buffer.from(await first.arrayBuffer()));
  const headers = JSON.stringify([...first.headers].filter(([name]) => WRITTEN_HEADERS.test(name)));
  return startPlainServer("bare uWebSockets.js", "bare-server", [answer, headers]);
}
