import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { err, ok } from "../../../src/domain/result.ts";
import type { HyperliquidTransport, SocketHandlers } from "../../../src/exchange/hyperliquid/transport.ts";
import { readRecording, recordingFiles } from "../../../src/exchange/recording/recording-reader.ts";
import { RecordingTransport } from "../../../src/exchange/recording/recording-transport.ts";
import type { RecordedLine } from "../../../src/exchange/recording/record-log.ts";
import { RecordLog } from "../../../src/exchange/recording/record-log.ts";
import { ManualTimers } from "../../support/manual-timers.ts";

// Mutants tried: no flush (an abrupt end loses all); no rotation; the reader failing on a torn end. Each fails below.

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

describe("RecordLog", () => {
  it("gives back every line in order, over files that rotate by size and by hour", async () => {
    const directory = scratch();
    const timers = new ManualTimers();
    const log = new RecordLog({ directory, timers, fileBytesMax: 2_000 });
    const lines = Array.from({ length: 100 }, (_, i) => line(i, 1_700_000_000_000 + i * 60_000));
    for (const each of lines) log.append(each);
    await log.close();

    const files = recordingFiles(directory).length;
    log.append(line(0));
    expect(timers.waitingCount).toBe(0);
    expect(await readAll(directory)).toEqual(lines);
    expect(files).toBe(recordingFiles(directory).length);
    expect(recordingFiles(directory).length).toBeGreaterThanOrEqual(3);
    expect(log.lostLines).toBe(0);
  });

  it("begins a file with every full hour, in a folder that it makes", async () => {
    const directory = join(scratch(), "new", "folder");
    const log = new RecordLog({ directory, timers: new ManualTimers() });
    const fullHourMs = Date.UTC(2023, 10, 14, 23);
    for (const at of [fullHourMs - 2, fullHourMs - 1, fullHourMs]) log.append(line(0, at));
    await log.close();

    expect(recordingFiles(directory).map((path) => basename(path))).toEqual([
      "hyperliquid-20231114T225959Z-0000.jsonl.gz",
      "hyperliquid-20231114T230000Z-0001.jsonl.gz",
    ]);
  });

  it("gives back every line in the order written where the clock was set back", async () => {
    const directory = scratch();
    const log = new RecordLog({ directory, timers: new ManualTimers(), fileBytesMax: 500 });
    const fullHourMs = Date.UTC(2023, 10, 14, 23);
    const times = [fullHourMs, fullHourMs + 1, fullHourMs - 3_600_000, fullHourMs - 60_000, fullHourMs + 2];
    const lines = times.map((at, i) => line(i, at));
    for (const each of lines) log.append(each);
    await log.close();

    expect(await readAll(directory)).toEqual(lines);
  });

  it("loses and counts what a disk cannot keep up with, not the process its memory, and goes on afterwards", async () => {
    const directory = scratch();
    const log = new RecordLog({ directory, timers: new ManualTimers() });
    const large = (i: number, at?: number): RecordedLine => ({
      ...{ at: at ?? 1_700_000_000_000, socket: 0 },
      text: String(i).padEnd(2 ** 20),
    });
    // Nothing is written while this loop runs: the 64 MiB that may wait are the first 64 of these lines.
    for (let i = 0; i < 70; i++) log.append(large(i));
    const lost = log.lostLines;
    const next = large(70, 1_700_003_600_000);
    log.append(next);
    await log.close();

    const kept = [...Array.from({ length: 64 }, (_, i) => large(i)), next];
    expect([lost, log.lostLines, log.failure]).toEqual([6, 6, null]);
    expect(await readAll(directory)).toEqual(kept);
  });

  it("flushes what comes after a flush, too", async () => {
    const directory = scratch();
    const timers = new ManualTimers();
    const log = new RecordLog({ directory, timers, flushEveryMs: 1_000 });
    for (let i = 0; i < 2; i++) {
      log.append(line(i));
      await timers.advance(1_000);
    }

    expect(await untilReadable(directory, 2)).toEqual([line(0), line(1)]);
    await log.close();
  });

  it("is readable up to the last flush when the process ends without warning", async () => {
    const directory = scratch();
    const timers = new ManualTimers();
    const log = new RecordLog({ directory, timers, flushEveryMs: 1_000 });
    for (let i = 0; i < 50; i++) log.append(line(i));
    await timers.advance(1_000);
    const flushed = await untilReadable(directory, 50);
    for (let i = 50; i < 60; i++) log.append(line(i));

    // The copy is what a killed process leaves behind: the file as flushed, without its end.
    const torn = scratch();
    const [path] = recordingFiles(directory);
    writeFileSync(join(torn, "hyperliquid-torn.jsonl.gz"), readFileSync(path ?? ""));
    expect((await readAll(torn)).slice(0, 50)).toEqual(flushed);
    await log.close();
  });

  it("leaves out a damaged end and reads the next file", async () => {
    const directory = scratch();
    const log = new RecordLog({ directory, timers: new ManualTimers(), fileBytesMax: 100 });
    for (let i = 0; i < 6; i++) log.append(line(i));
    await log.close();
    const files = recordingFiles(directory);
    truncateSync(files[0] ?? "", 15);

    const read = await readAll(directory);
    expect(read.at(-1)).toEqual(line(5));
    expect(read.length).toBeLessThan(6);
  });

  it.each(["null", "7", "{}", '{"at":"1"}', '{"at":-1}', '{"at":1e300}', "{"])(
    "leaves out the line %s",
    async (bad) => {
      const directory = scratch();
      const lines = [JSON.stringify(line(0)), bad, JSON.stringify(line(1))].join("\n");
      writeFileSync(join(directory, "hyperliquid-1.jsonl.gz"), gzipSync(lines));
      expect(await readAll(directory)).toEqual([line(0), line(1)]);
    },
  );

  it.each<[string, (path: string) => void]>([
    ["is no archive", (path) => writeFileSync(path, "not gzip\n")],
    ["has other bytes in its middle", (path) => writeFileSync(path, readFileSync(path).fill(0xff, 30, 60))],
    [
      "is a directory",
      (path) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
  ])("reads on after a file that %s", async (_, damage) => {
    const directory = scratch();
    const log = new RecordLog({ directory, timers: new ManualTimers(), fileBytesMax: 100 });
    for (let i = 0; i < 6; i++) log.append(line(i));
    await log.close();
    const files = recordingFiles(directory);
    damage(files[1]!);

    const read = await readAll(directory);
    expect(read[0]).toEqual(line(0));
    expect(read.at(-1)).toEqual(line(5));
    expect(read.length).toBeLessThan(6);
    expect(files.length).toBeGreaterThan(2);
  });

  it("counts lines it cannot write instead of failing the feed, tells so once, and tries no other file", async () => {
    const directory = scratch();
    const failures: (string | null)[] = [];
    const log: RecordLog = new RecordLog({
      directory,
      timers: new ManualTimers(),
      onFailure: () => failures.push(log.failure),
    });
    rmSync(directory, { recursive: true });
    log.append(line(0));
    while (log.failure === null) await new Promise((resolve) => setImmediate(resolve));
    mkdirSync(directory);
    log.append({ ...line(1), at: 2 * 3_600_000 });
    expect(log.lostLines).toBe(1);
    await log.close();
    expect(failures).toEqual([expect.stringContaining("ENOENT")]);
    expect(recordingFiles(directory)).toEqual([]);
    directories.length = 0;
  });
});

describe("RecordingTransport", () => {
  it("passes through and writes down answers, frames and the ends of sockets with their times", async () => {
    const directory = scratch();
    const timers = new ManualTimers(1_700_000_000_000);
    let handlers: SocketHandlers | undefined;
    const inner: HyperliquidTransport = {
      postInfo: () => Promise.resolve(ok({ time: 1 })),
      openSocket: (given) => {
        handlers = given;
        return { send: () => undefined, terminate: () => undefined };
      },
      close: () => Promise.resolve(),
    };
    const transport = new RecordingTransport(inner, new RecordLog({ directory, timers }), timers);
    const seen: string[] = [];
    transport.openSocket({
      onOpen: () => seen.push("open"),
      onText: (text) => seen.push(text),
      onClose: (detail) => seen.push(detail),
    });
    handlers?.onOpen();
    await timers.advance(5);
    handlers?.onText("not even JSON");
    const reply = await transport.postInfo({ type: "exchangeStatus" }, new AbortController().signal);
    handlers?.onClose("closed 1006");
    await transport.close();

    const at = 1_700_000_000_005;
    expect(seen).toEqual(["open", "not even JSON", "closed 1006"]);
    expect(reply).toEqual(ok({ time: 1 }));
    expect(await readAll(directory)).toEqual([
      { at: at - 5, socket: 0, opened: true },
      { at, socket: 0, text: "not even JSON" },
      { at, request: { type: "exchangeStatus" }, reply: { time: 1 } },
      { at, socket: 0, closed: "closed 1006" },
    ]);
    expect(readdirSync(directory)[0]).toBe("hyperliquid-20231114T221320Z-0000.jsonl.gz");
  });
});

describe("RecordingTransport, asked for more", () => {
  it("writes down what failed as failed, tells sockets apart, and closes what it records", async () => {
    const directory = scratch();
    const timers = new ManualTimers(1_700_000_000_000);
    const given: SocketHandlers[] = [];
    let isClosed = false;
    const failure = { code: "unreachable", detail: "meta: nobody answers" } as const;
    const inner: HyperliquidTransport = {
      postInfo: () => Promise.resolve(err(failure)),
      openSocket: (handlers) => {
        given.push(handlers);
        return { send: () => undefined, terminate: () => undefined };
      },
      close: () => {
        isClosed = true;
        return Promise.resolve();
      },
    };
    const transport = new RecordingTransport(inner, new RecordLog({ directory, timers }), timers);
    for (let i = 0; i < 2; i++)
      transport.openSocket({ onOpen: () => undefined, onText: () => undefined, onClose: () => undefined });

    const reply = await transport.postInfo({ type: "meta" }, new AbortController().signal);
    for (const handlers of given) handlers.onOpen();
    await transport.close();

    const at = timers.nowMs();
    expect(reply).toEqual(err(failure));
    expect(await readAll(directory)).toEqual([
      { at, request: { type: "meta" }, failure },
      { at, socket: 0, opened: true },
      { at, socket: 1, opened: true },
    ]);
    expect(isClosed).toBe(true);
  });
});

function line(i: number, at = 1_700_000_000_000 + i): RecordedLine {
  return { at, socket: 0, text: JSON.stringify({ channel: "x", data: i, pad: "abc".repeat(i % 7) }) };
}

async function readAll(directory: string): Promise<RecordedLine[]> {
  const lines: RecordedLine[] = [];
  for await (const each of readRecording(directory)) lines.push(each);
  return lines;
}

/** The flush goes through zlib's and the disk's threads; reads until it has arrived. */
async function untilReadable(directory: string, count: number): Promise<RecordedLine[]> {
  for (;;) {
    const lines = await readAll(directory);
    if (lines.length >= count) return lines;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), "recording-"));
  directories.push(directory);
  return directory;
}
