import { setImmediate as turn } from "node:timers/promises";
import { MessageChannel } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { NextAnswer } from "../../src/records/next-answer.ts";

describe("NextAnswer", () => {
  it("makes one answer for all who asked before it was begun, and another for who asks later, be it one", async () => {
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
    await turn();
    world = "newer";
    ask("c");
    ask("d");
    read.shift()!();
    await first;

    expect(heard).toEqual(["a new", "b new"]);
    expect(tasks).toHaveLength(1);
    const second = tasks.shift()!();
    await turn();
    read.shift()!();
    await second;
    expect(heard).toEqual(["a new", "b new", "c newer", "d newer"]);
    expect(tasks).toHaveLength(0);

    ask("e");
    const third = tasks.shift()!();
    await turn();
    read.shift()!();
    await third;
    expect(heard.at(-1)).toBe("e newer");
    expect(tasks).toHaveLength(0);
  });

  it("makes one answer for all whose messages wait while another is made by a driver that blocks", async () => {
    let made = 0;
    let task = Promise.resolve();
    const next = new NextAnswer(
      () => Promise.resolve(++made),
      (more) => {
        task = task.then(more);
      },
    );
    const { port1, port2 } = new MessageChannel();
    const answers: number[] = [];
    await new Promise<void>((resolve) => {
      port2.on("message", () => {
        next.ask((answer) => {
          if (answers.push(answer) === 100) resolve();
        });
      });
      for (let i = 0; i < 100; i++) port1.postMessage(i);
    });
    port1.close();

    expect(new Set(answers).size).toBe(made);
    expect(made).toBeLessThan(10);
  });
});
