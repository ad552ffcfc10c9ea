import type { IncomingMessage } from "node:http";

const BODY_BYTES_MAX = 65_536;

/** Collects a request body; undefined when it is too long or breaks off. */
export function readBody(request: IncomingMessage): Promise<string | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let byteCount = 0;
    request.on("data", (chunk: Buffer) => {
      byteCount += chunk.length;
      if (byteCount <= BODY_BYTES_MAX) chunks.push(chunk);
    });
    request.on("end", () =>
      resolve(byteCount > BODY_BYTES_MAX ? undefined : Buffer.concat(chunks).toString()),
    );
    request.on("error", () => resolve(undefined));
  });
}

export function clientAddress(request: IncomingMessage): string {
  return request.socket.remoteAddress ?? "unknown";
}
