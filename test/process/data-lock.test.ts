import { spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ConfigError } from "../../src/config.ts";
import { lockDataDirectory } from "../../src/process/data-lock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Mutants killed by hand: a lock that is removed whole where the entry of who is gone should be; made in its place; moved
// onto another's; looked at once only; an entry of this process's number, of another boot or beginning, taken for held.

const { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } = fs;

/** Before each call of the file system that changes or lists something. */
const { step } = vi.hoisted(() => ({ step: { before: (): void => undefined } }));
vi.mock("node:fs", async (original) => {
  const actual = await original<typeof fs>();
  const stepped = <A extends readonly unknown[], R>(call: (...told: A) => R) => {
    return (...told: A): R => {
      step.before();
      return call(...told);
    };
  };
  const { mkdirSync: make, readdirSync: list, renameSync: move, rmdirSync, rmSync: remove } = actual;
  return {
    ...actual,
    mkdirSync: stepped(make),
    readdirSync: stepped(list as (path: string) => string[]),
    renameSync: stepped(move),
    rmdirSync: stepped(rmdirSync),
    rmSync: stepped(remove),
  };
});

const temporary = temporaryFolder();
afterEach(() => {
  step.before = () => undefined;
});

describe("lockDataDirectory", () => {
  const lock = (): string => join(temporary.path, "locked-by");
  const hold = (pid: number | "", beginning = "", boot = ""): string => {
    const entry = join(lock(), `${pid}_${beginning}_${boot}`);
    mkdirSync(entry, { recursive: true });
    return entry;
  };
  const gonePid = (): number => spawnSync(process.execPath, ["-e", ""]).pid;
  /** What the lock of this process says of it, behind its number. */
  const ownFacts = (): readonly string[] => {
    lockDataDirectory(temporary.path)();
    lockDataDirectory(temporary.path);
    const [entry] = readdirSync(lock());
    rmSync(lock(), { recursive: true });
    return entry!.split("_").slice(1);
  };

  it("refuses a folder that another running process has, in one sentence, and leaves it to that", () => {
    const entry = hold(process.ppid);

    expect(() => lockDataDirectory(temporary.path)).toThrow(ConfigError);
    expect(() => lockDataDirectory(temporary.path)).toThrow(
      `BREAKWATER_DATA_DIR must name a folder of its own for each service: process ${process.ppid} uses ${temporary.path}, says ${lock()} (to be removed from a copy of a folder)`,
    );
    expect(existsSync(entry)).toBe(true);
    expect(readdirSync(temporary.path)).toEqual(["locked-by"]);
  });

  it.each([
    ["is free", () => undefined],
    ["a process had that is gone", () => hold(gonePid())],
    ["one of this number had, in another container", () => hold(process.pid)],
    ["has an entry of nobody's", () => hold("")],
    [
      "a process had whose number is another's since, as a thread's of this one may be",
      () => {
        const [beginning, boot] = ownFacts();
        // The parent runs, and began before this process did.
        if (beginning !== "") hold(process.ppid, beginning, boot);
      },
    ],
    ["was locked before the machine started", () => hold(process.ppid, "", "another-boot")],
    [
      "was locked before the machine started, where that has no name",
      () => utimesSync(hold(process.ppid), 1, 1),
    ],
    ["was left by one that was killed when it had removed its entry", () => mkdirSync(lock())],
    [
      "was being taken by one of this number that was killed",
      () => mkdirSync(join(`${lock()}.${process.pid}`, "1__"), { recursive: true }),
    ],
  ])("takes a folder that %s, and gives it back", (_, prepare) => {
    prepare();

    const release = lockDataDirectory(temporary.path);
    expect(readdirSync(lock()).map((entry) => entry.split("_")[0])).toEqual([String(process.pid)]);
    release();

    expect(readdirSync(temporary.path)).toEqual([]);
  });

  it("refuses a folder locked in this boot whatever the clock says", () => {
    const [, boot] = ownFacts();
    // As after a step of the clock beyond the time that the machine has run.
    utimesSync(hold(process.ppid, "", boot), 1, 1);

    if (boot !== "") expect(() => lockDataDirectory(temporary.path)).toThrow(`process ${process.ppid} uses`);
  });

  it("lets one of two in, at whatever step and for however long one of them stands still", () => {
    const dead = gonePid();
    let steps = 0;
    for (let at = 1, isReached = true; isReached; at++) {
      hold(dead);
      const others: boolean[] = [];
      const isFirstIn = atStep(at, () => {
        vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
        others.push(as(process.ppid));
        vi.useRealTimers();
      });
      isReached = others.length === 1;
      expect([isFirstIn, ...others].filter(Boolean), `step ${at}`).toHaveLength(1);
      if (isReached) steps++;
      rmSync(lock(), { recursive: true });
    }
    expect(steps).toBeGreaterThan(5);
  });

  it("lets the next one in, at whatever step one is killed", () => {
    const [dead, before] = [gonePid(), gonePid()];
    let steps = 0;
    for (let at = 1, isReached = true; isReached; at++) {
      hold(before);
      const others: boolean[] = [];
      as(dead, () =>
        atStep(at, () => {
          others.push(as(process.ppid));
          throw new Error("killed");
        }),
      );
      isReached = others.length === 1;
      expect(others, `step ${at}`).not.toContain(false);
      if (isReached) steps++;
      rmSync(lock(), { recursive: true });
    }
    expect(steps).toBeGreaterThan(5);
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
    hold(gonePid());

    const answers = starters.map(lineOf);
    for (const one of starters) one.stdin.write("\n");
    const said = await Promise.all(answers);
    for (const one of starters) one.kill("SIGKILL");

    expect(said.filter((word) => word === "in")).toHaveLength(1);
  });

  it("names the setting and the lock where that can be neither read nor made", () => {
    writeFileSync(lock(), "");

    expect(() => lockDataDirectory(temporary.path)).toThrow(ConfigError);
    expect(() => lockDataDirectory(temporary.path)).toThrow("BREAKWATER_DATA_DIR cannot be used: ENOTDIR: ");
    expect(readdirSync(temporary.path)).toEqual(["locked-by"]);
  });

  it("ends well where the lock cannot be given back", () => {
    const release = lockDataDirectory(temporary.path);
    rmSync(lock(), { recursive: true });
    expect(release).not.toThrow();

    writeFileSync(lock(), "");
    expect(release).not.toThrow();
  });

  it("does not give back what another process has taken since", () => {
    const release = lockDataDirectory(temporary.path);
    rmSync(lock(), { recursive: true });
    const entry = hold(process.ppid);

    release();

    expect(existsSync(entry)).toBe(true);
  });

  /** Whether a start gets in that does something else before a step of its own. */
  function atStep(number: number, act: () => void): boolean {
    let taken = 0;
    step.before = () => {
      if (++taken === number) act();
    };
    try {
      return isIn();
    } finally {
      step.before = () => undefined;
    }
  }

  /** What comes of a start whose process has that number. */
  function as(pid: number, start = isIn): boolean {
    const own = Object.getOwnPropertyDescriptor(process, "pid")!;
    Object.defineProperty(process, "pid", { ...own, value: pid });
    try {
      return start();
    } finally {
      Object.defineProperty(process, "pid", own);
    }
  }

  function isIn(): boolean {
    try {
      lockDataDirectory(temporary.path);
      return true;
    } catch {
      return false;
    }
  }
});
