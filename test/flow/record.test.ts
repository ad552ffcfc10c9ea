import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { lockDataDirectory } from "../../src/process/data-lock.ts";
import type { ExchangeLimits } from "../../src/simulator/connection-limits.ts";
import { type RunningSimulator, startSimulator } from "../../src/simulator/simulator.ts";
import { builtProgram } from "../support/built-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const RECORD = builtProgram("cli/record");

async function record(...options: readonly string[]): Promise<{ status: number | null; said: string }> {
  return recordUntil(undefined, ...options);
}

/** Sends the signal twice, once there is something of the feed to lose. */
async function recordUntil(
  signal: NodeJS.Signals | undefined,
  ...options: readonly string[]
): Promise<{ status: number | null; said: string }> {
  const child = spawn(process.execPath, [RECORD, ...options]);
  let said = "";
  child.stderr.on("data", (text: Buffer) => {
    said += text.toString();
    if (signal === undefined || !said.includes("feed.restored")) return;
    child.kill(signal);
    child.kill(signal);
  });
  const status = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  return { status, said };
}

describe("npm run record", () => {
  const folder = temporaryFolder();
  let exchange: RunningSimulator | undefined;

  afterEach(async () => {
    await exchange?.stop();
    exchange = undefined;
  });

  const recordFrom = async (
    limits: Partial<ExchangeLimits>,
    ...more: readonly string[]
  ): Promise<{ status: number | null; said: string; kept: readonly string[] }> => {
    const host = "127.0.0.1";
    const options = { port: 0, host, seed: 1, speedFactor: 1, assetCount: 2, control: false };
    exchange = await startSimulator({ ...options, limits });
    const url = exchange.infoUrl.replace("/info", "");
    const out = folder.path;
    const { status, said } = await record("--out", out, "--minutes", "0.1", "--url", url, ...more);
    return { status, said, kept: readdirSync(out) };
  };

  it("says which sockets the exchange refused all along, and fails", async () => {
    const { status, said } = await recordFrom({ connections: 3 });

    expect(status).toBe(1);
    expect(said).toContain("incomplete: no connection was had for coarse, touch, fast");
  }, 30_000);

  it("says of how many assets the exchange gave no history, and fails", async () => {
    const { status, said } = await recordFrom({ weightPerMinute: 60 });

    expect(status).toBe(1);
    expect(said).toContain("incomplete: the history of 0 of 2 assets was read");
    expect(said).not.toContain("no connection was had");
  }, 30_000);

  it("names an asset that is not listed, at once, and leaves no recording", async () => {
    const { status, said, kept } = await recordFrom(
      { connections: 10 },
      "--assets",
      "BTC,NOPE",
      "--minutes",
      "60",
    );

    expect([status, kept]).toEqual([2, []]);
    expect(said).toMatch(/^not listed at http:\S+: NOPE$/m);
  }, 30_000);

  it("refuses a directory that holds a recording, before it asks the exchange", async () => {
    const out = folder.path;
    writeFileSync(join(out, "hyperliquid-20261124T033632Z-0000.jsonl.gz"), "");

    const { status, said } = await record("--out", out, "--url", "http://127.0.0.1:1");

    expect([status, said]).toEqual([2, `--out holds a recording already: ${out}\n`]);
    expect(readdirSync(out)).toHaveLength(1);
  }, 30_000);

  it("refuses a directory that another recorder has begun with, before there is a file of either", async () => {
    const out = folder.path;
    const release = lockDataDirectory(out);

    const { status, said } = await record("--out", out, "--url", "http://127.0.0.1:1");
    release();

    expect(status).toBe(2);
    expect(said).toContain(
      `--out must name a folder of its own for each recording: process ${String(process.pid)} uses ${out}`,
    );
    expect(readdirSync(out)).toEqual([]);
  }, 30_000);

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "ends the recording whole at %s, also when it comes twice",
    async (signal) => {
      const options = { port: 0, host: "127.0.0.1", seed: 1, speedFactor: 1, assetCount: 2, control: false };
      exchange = await startSimulator(options);
      const url = exchange.infoUrl.replace("/info", "");

      const { said } = await recordUntil(signal, "--out", folder.path, "--url", url);

      const kept = readdirSync(folder.path);
      expect(said).toMatch(/^recorded \d+ events, 0 lines lost$/m);
      expect(kept).toEqual([expect.stringMatching(/\.jsonl\.gz$/)]);
      expect(() => gunzipSync(readFileSync(join(folder.path, kept[0]!)))).not.toThrow();
    },
    30_000,
  );

  it("is silent about sockets when it had them all", async () => {
    const { status, said, kept } = await recordFrom({ connections: 10 });

    expect([status, said.includes("incomplete"), kept.length]).toEqual([0, false, 1]);
  }, 30_000);
});
