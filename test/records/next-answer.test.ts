import { describe, expect, it } from "vitest";
import { NextAnswer } from "../../src/records/next-answer.ts";

describe("NextAnswer", () => {
  it("makes one answer for all who asked before it was begun, and another for who asks later", async () => {
    const heard: string[] = [];
    const tasks: (() => Promise<void>)[] = [];
    let world = "old";
    const read: (() => void)[] = [];
    const next = new NextAnswer(
      async () => {
        const seen = world;
        await new Promise<void>((resolve) => read.push(resolve));
        return seen;
      },
      (task) => tasks.push(task),
    );
    const ask = (name: string): void => next.ask((answer) => heard.push(`${name} ${answer}`));

    ask("a");
    world = "new";
    ask("b");
    const first = tasks.shift()!();
    world = "newer";
    ask("c");
    ask("d");
    read.shift()!();
    await first;

    expect(heard).toEqual(["a new", "b new"]);
    expect(tasks).toHaveLength(1);
    const second = tasks.shift()!();
    read.shift()!();
    await second;
    expect(heard).toEqual(["a new", "b new", "c newer", "d newer"]);
    expect(tasks).toHaveLength(0);
  });
});
