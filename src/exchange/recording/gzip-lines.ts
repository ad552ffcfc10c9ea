import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { constants, createGunzip } from "node:zlib";

/** The lines of a gzip file. A damaged one ends where the damage begins, one that is gone where it was. */
export async function* gzipLines(path: string): AsyncGenerator<string> {
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  const source = createReadStream(path);
  const lines = createInterface({ input: source.pipe(gunzip), crlfDelay: Number.POSITIVE_INFINITY });
  for (const stream of [source, gunzip]) {
    stream.on("error", () => {
      lines.close();
    });
  }
  try {
    yield* lines;
  } catch (cause) {
    // The lines end with their input's error as well.
    if (source.errored === null && gunzip.errored === null) throw cause;
  } finally {
    source.destroy();
  }
}
