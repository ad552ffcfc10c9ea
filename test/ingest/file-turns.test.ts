import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { FileTurns } from "../../src/ingest/file-turns.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

describe("turns at a file", () => {
  it("follow one another, whatever became of the one before, while other files do not wait", async () => {
    const turns = new FileTurns();
    const order: string[] = [];
    const noted = (name: string): Promise<void> => {
      order.push(name);
      return Promise.resolve();
    };
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const first = turns.run("a", async () => {
      await gate;
      order.push("first");
      throw new Error("the disk is full");
    });
    const second = turns.run("a", () => noted("second"));
    await turns.run("b", () => noted("other file"));
    open();
    await expect(first).rejects.toThrow("the disk is full");
    await second;
    expect(order).toEqual(["other file", "first", "second"]);
  });

  it("wait for the last that was asked for, also when the one before it has ended", async () => {
    const turns = new FileTurns();
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    let isUnderWay = false;
    const first = turns.run("a", () => Promise.resolve());
    const second = turns.run("a", async () => {
      isUnderWay = true;
      await gate;
      isUnderWay = false;
    });
    await first;
    await turn();
    expect(isUnderWay).toBe(true);

    const third = turns.run("a", () => Promise.resolve(isUnderWay));
    open();
    await second;

    expect(await third).toBe(false);
  });

  it("keep nothing of what was read", async () => {
    const turns = new FileTurns();
    let history: WeakRef<object> | undefined;
    await turns.run("a", () => {
      const read = { bars: [1, 2, 3] };
      history = new WeakRef(read);
      return Promise.resolve(read);
    });
    await turn();
    collect();
    expect(history!.deref()).toBeUndefined();
  });
});
