import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../src/config.ts";
import { lockDataDirectory } from "../../src/process/data-lock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const temporary = temporaryFolder();

describe("lockDataDirectory", () => {
  const file = (): string => join(temporary.path, "lock");
  const hold = (pid: number | "", boot = ""): void => writeFileSync(file(), `${pid}\n${boot}`);
  const turn = (): string => join(temporary.path, "lock.taking");

  it("refuses a folder that another running process has, in one sentence, and leaves it to that", () => {
    hold(process.ppid);

    expect(() => lockDataDirectory(temporary.path)).toThrow(ConfigError);
    expect(() => lockDataDirectory(temporary.path)).toThrow(
      `BREAKWATER_DATA_DIR must name a folder of its own for each service: process ${process.ppid} uses ${temporary.path}, says ${file()}`,
    );
    expect(readFileSync(file(), "utf8")).toBe(`${process.ppid}\n`);
  });

  it.each([
    ["is free", () => undefined],
    ["a process had that is gone", () => hold(spawnSync(process.execPath, ["-e", ""]).pid)],
    ["one of this number had, in another container", () => hold(process.pid)],
    ["has a lock that could not be written", () => hold("")],
    [
      "a process had whose number is another's since, as a thread's of this one may be",
      () => {
        lockDataDirectory(temporary.path);
        const [, boot, beginning] = readFileSync(file(), "utf8").split("\n");
        // The parent runs, and began before this process did.
        if (beginning !== "") hold(process.ppid, `${boot}\n${beginning}`);
      },
    ],
    ["was locked before the machine started", () => hold(process.ppid, "another-boot")],
    [
      "was locked before the machine started, where that has no name",
      () => {
        hold(process.ppid);
        utimesSync(file(), 1, 1);
      },
    ],
    [
      "was being taken by one that was killed",
      () => {
        mkdirSync(turn());
        utimesSync(turn(), 1, 1);
      },
    ],
    [
      "was being taken by one that was killed before the clock was set back",
      () => {
        mkdirSync(turn());
        const aheadSeconds = Date.now() / 1_000 + 60;
        utimesSync(turn(), aheadSeconds, aheadSeconds);
      },
    ],
  ])("takes a folder that %s, and gives it back", (_, prepare) => {
    prepare();

    const release = lockDataDirectory(temporary.path);
    expect(readFileSync(file(), "utf8").split("\n")[0]).toBe(String(process.pid));
    expect(existsSync(turn())).toBe(false);
    release();

    expect(existsSync(file())).toBe(false);
  });

  it("refuses a folder that another takes at this moment, and one locked in this boot whatever the clock says", () => {
    mkdirSync(turn());
    expect(() => lockDataDirectory(temporary.path)).toThrow(ConfigError);
    expect(() => lockDataDirectory(temporary.path)).toThrow(/another one takes .* just now/);
    rmdirSync(turn());

    lockDataDirectory(temporary.path);
    const [, boot] = readFileSync(file(), "utf8").split("\n");
    hold(process.ppid, boot);
    // As after a step of the clock beyond the time that the machine has run.
    utimesSync(file(), 1, 1);
    if (boot !== "") expect(() => lockDataDirectory(temporary.path)).toThrow(`process ${process.ppid} uses`);
    expect(existsSync(turn())).toBe(false);
  });

  it("lets one of many in that start at once", async () => {
    const script = `
      import { lockDataDirectory } from ${JSON.stringify(new URL("../../src/process/data-lock.ts", import.meta.url).href)};
      process.stdin.once("data", () => {
        try { lockDataDirectory(${JSON.stringify(temporary.path)}); console.log("in"); } catch { console.log("out"); }
      });
      console.log("up");`;
    const starters = Array.from({ length: 6 }, () =>
      spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], { stdio: "pipe" }),
    );
    const lineOf = (one: (typeof starters)[number]) =>
      new Promise<string>((resolve) =>
        one.stdout.once("data", (data: Buffer) => resolve(data.toString().trim())),
      );
    expect(new Set(await Promise.all(starters.map(lineOf)))).toEqual(new Set(["up"]));

    const answers = starters.map(lineOf);
    for (const one of starters) one.stdin.write("\n");
    const said = await Promise.all(answers);
    for (const one of starters) one.kill("SIGKILL");

    expect(said.filter((word) => word === "in")).toHaveLength(1);
  });

  it("names the setting and the file where that can be neither read nor written", () => {
    mkdirSync(file());

    expect(() => lockDataDirectory(temporary.path)).toThrow(ConfigError);
    expect(() => lockDataDirectory(temporary.path)).toThrow(
      `BREAKWATER_DATA_DIR cannot be used: ${file()}: EISDIR: `,
    );
  });

  it("ends well where the lock cannot be given back", () => {
    const release = lockDataDirectory(temporary.path);
    rmSync(file());
    expect(release).not.toThrow();

    mkdirSync(file());
    expect(release).not.toThrow();
  });

  it("does not give back what another process has taken since", () => {
    const release = lockDataDirectory(temporary.path);
    hold(process.ppid);

    release();

    expect(existsSync(file())).toBe(true);
  });
});
