import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { GroupCommit } from "../../src/outcomes/group-commit.ts";

// Mutants killed by hand: two commits at a time; a commit for every item; a group of any size; a verdict of another item;
// nothing more after a commit that failed, or after a pause; no turn between two commits.

describe("GroupCommit", () => {
  it("commits together what comes together, and gives each its own verdict", async () => {
    const store = new Store();

    const verdicts = ["a", "b"].map((item) => store.commits.add(item));
    // Another request of the same turn of the loop.
    await Promise.resolve();
    verdicts.push(store.commits.add("c"));
    await turn();
    store.finish();

    expect(await Promise.all(verdicts)).toEqual(["a!", "b!", "c!"]);
    expect(store.groups).toEqual([["a", "b", "c"]]);
  });

  it("gives no verdict before the commit is done, and begins no other meanwhile", async () => {
    const store = new Store();
    const heard: string[] = [];
    const add = (item: string): void => void store.commits.add(item).then((verdict) => heard.push(verdict));
    add("a");
    await turn();
    add("b");
    await turn();
    add("c");
    await turn();
    expect([store.groups, heard]).toEqual([[["a"]], []]);

    store.finish();
    for (let i = 0; i < 3; i++) await turn();

    expect([store.groups, heard]).toEqual([[["a"], ["b", "c"]], ["a!"]]);
  });

  it("commits no more at a time than it may, in the order in which they came", async () => {
    const store = new Store();
    store.isSlow = false;

    const verdicts = await Promise.all(Array.from({ length: 7 }, (_, i) => store.commits.add(String(i))));

    expect(verdicts).toEqual(["0!", "1!", "2!", "3!", "4!", "5!", "6!"]);
    expect(store.groups).toEqual([["0", "1", "2"], ["3", "4", "5"], ["6"]]);
  });

  it("takes into the next commit what comes while a driver blocks", async () => {
    const store = new Store();
    store.isSlow = false;

    const first = Promise.all(["a", "b", "c", "d"].map((item) => store.commits.add(item)));
    const late = turn().then(() => store.commits.add("late"));

    expect(await first).toEqual(["a!", "b!", "c!", "d!"]);
    expect(await late).toBe("late!");
    expect(store.groups).toEqual([
      ["a", "b", "c"],
      ["d", "late"],
    ]);
  });

  it("goes on when it has had nothing to do", async () => {
    const store = new Store();
    store.isSlow = false;
    await store.commits.add("a");
    for (let i = 0; i < 3; i++) await turn();

    expect(await store.commits.add("b")).toBe("b!");
  });

  it("fails all of a commit that fails, and no other", async () => {
    const store = new Store();
    const outcomes = Promise.allSettled(["a", "b", "c", "d"].map((item) => store.commits.add(item)));
    await turn();
    store.isSlow = false;

    const failure = new Error("disk full");
    store.finish(failure);

    expect(await outcomes).toEqual([
      ...["a", "b", "c"].map(() => ({ status: "rejected", reason: failure })),
      { status: "fulfilled", value: "d!" },
    ]);
    expect(await store.commits.add("a")).toBe("a!");
  });
});

/** Takes three items at a time; a slow commit ends when it is told to. */
class Store {
  readonly groups: (readonly string[])[] = [];
  isSlow = true;
  finish: (failure?: Error) => void = () => undefined;
  readonly commits = new GroupCommit<string, string>(async (items) => {
    this.groups.push(items);
    if (this.isSlow) {
      await new Promise<void>((resolve, reject) => {
        this.finish = (failure) => (failure === undefined ? resolve() : reject(failure));
      });
    }
    return items.map((item) => `${item}!`);
  }, 3);
}
