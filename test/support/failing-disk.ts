import type * as FileSystem from "node:fs/promises";

/**
 * What becomes of a step of the disk: it is done; it is refused; half of its bytes are written before it is refused; it
 * is done, and its end is not told.
 */
export type Fate = "done" | "refused" | "half" | "untold";

/** Fates of the steps to come, in their order; the steps after them are done, or refused where the disk has died. */
export const disk = {
  fates: [] as Fate[],
  /** The first step that is not done is the last one: the process ends with it. */
  isMortal: false,
  isDead: false,
};

/** Forgets what was to come. */
export function mendDisk(): void {
  Object.assign(disk, { fates: [], isMortal: false, isDead: false });
}

/** For vi.mock: the steps that the writing of files is made of, each with its fate. */
export function onFailingDisk(system: typeof FileSystem): typeof FileSystem {
  const step = async <T>(work: () => Promise<T>, half: () => Promise<unknown> = refused): Promise<T> => {
    const fate = disk.isDead ? "refused" : (disk.fates.shift() ?? "done");
    if (fate === "done") return work();
    if (disk.isMortal) disk.isDead = true;
    if (fate === "untold") await work();
    if (fate === "half") await half();
    return refused();
  };
  const { appendFile, mkdir, readFile, rename, rm, stat, writeFile } = system;
  const steps = {
    appendFile: (path: string, bytes: Buffer, options: object) =>
      step(
        () => appendFile(path, bytes, options),
        () => appendFile(path, bytes.subarray(0, bytes.length / 2), options),
      ),
    writeFile: (path: string, bytes: Buffer | string) =>
      step(
        () => writeFile(path, bytes),
        () => writeFile(path, bytes.slice(0, bytes.length / 2)),
      ),
    mkdir: (path: string) => step(() => mkdir(path)),
    readFile: (path: string) => step(() => readFile(path)),
    rename: (from: string, to: string) => step(() => rename(from, to)),
    rm: (path: string, options: object) => step(() => rm(path, options)),
    stat: (path: string) => step(() => stat(path)),
  };
  return { ...system, ...(steps as unknown as Partial<typeof FileSystem>) };
}

function refused(): Promise<never> {
  return Promise.reject(Object.assign(new Error("EIO: the disk refuses"), { code: "EIO" }));
}
