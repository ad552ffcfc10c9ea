import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MonitoredAccount } from "../../src/risk/alerts.ts";
import { type AlertSubscriber, AlertSubscribers } from "../../src/actors/alert-subscribers.ts";
import { DEFAULT_ALERT_THRESHOLDS } from "../../src/risk/alerts.ts";
import { walletNumber } from "../support/builders.ts";
import { monitoredAccount } from "../support/monitored-account.ts";

// Mutants killed by hand: everyone told of every wallet; the set read when told instead of when called; newest call
// first; one that moves not told first, or told twice; a subscriber that closed kept; one that moved kept in its first
// wallet; an empty wallet kept; a slice that forgets the rest; drops not counted, or as many as were told; the newest dropped instead of the
// oldest; one failure that stops the others.

const WALLETS = [1, 2, 3].map(walletNumber);
const ALARMED = { ...DEFAULT_ALERT_THRESHOLDS, maxRiskScore: 0 };
/** One breach each; told apart by their time. */
const ACCOUNTS = WALLETS.map((wallet) => monitoredAccount("normal", wallet));

type Step =
  | { readonly type: "open" }
  | { readonly type: "configure" | "close"; readonly who: number; readonly wallet: number }
  | { readonly type: "publish"; readonly wallet: number }
  | { readonly type: "turn" };

const index = fc.nat({ max: 11 });
const wallet = fc.nat({ max: WALLETS.length - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ type: fc.constant("open" as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constantFrom("configure" as const, "close" as const),
      who: index,
      wallet,
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("publish" as const), wallet }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("turn" as const) }) },
);

describe("AlertSubscribers", () => {
  it("tells each subscriber of the calls on its wallet since it asked, in their order, and no one else", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
        const desk = bench();
        const model: {
          wallet: number | null;
          expected: number[];
          heard: number[];
          subscriber: AlertSubscriber;
        }[] = [];
        /** Calls whose subscribers have not been told, and who they are. */
        let untold: { readonly at: number; readonly to: readonly number[] }[] = [];
        let now = 0;
        const settle = (): void => {
          for (const { at, to } of untold) for (const who of to) model[who]!.expected.push(at);
          untold = [];
          desk.runAll();
        };

        for (const action of steps) {
          now++;
          if (action.type === "open") {
            const heard: number[] = [];
            const subscriber = desk.subscribers.open(
              (_breaches, { evaluatedAtMs }) => heard.push(evaluatedAtMs),
              () => expect.unreachable("a subscriber failed"),
            );
            model.push({ wallet: null, expected: [], heard, subscriber });
          } else if (action.type === "turn") settle();
          else if (action.type === "publish") {
            const to = model.flatMap((known, who) => (known.wallet === action.wallet ? [who] : []));
            untold.push({ at: now, to });
            desk.subscribers.publish({ ...ACCOUNTS[action.wallet]!, evaluatedAtMs: now });
          } else if (model.length > 0) {
            const who = action.who % model.length;
            const known = model[who]!;
            const waiting = untold.filter(({ to }) => to.includes(who));
            untold = untold.map((call) => ({ ...call, to: call.to.filter((other) => other !== who) }));
            if (action.type === "configure") {
              if (known.wallet !== CLOSED) known.expected.push(...waiting.map(({ at }) => at));
              known.subscriber.configure({ wallet: WALLETS[action.wallet]!, thresholds: ALARMED });
              if (known.wallet !== CLOSED) known.wallet = action.wallet;
            } else {
              known.subscriber.close();
              known.wallet = CLOSED;
            }
          }
        }
        settle();

        for (const { heard, expected } of model) expect(heard).toEqual(expected);
        const held = new Set(model.map((known) => known.wallet).filter((at) => at !== null && at !== CLOSED));
        expect(desk.subscribers.walletCount).toBe(held.size);
      }),
    );
  });

  it("tells a crowd in slices between which others may run, and leaves no one out", () => {
    const desk = bench();
    let told = 0;
    for (let i = 0; i < 5_000; i++) open(desk, () => told++);

    desk.subscribers.publish(ACCOUNTS[0]!);
    const toldPerTurn: number[] = [];
    while (desk.runOne()) toldPerTurn.push(told - toldPerTurn.reduce((sum, n) => sum + n, 0));

    expect(told).toBe(5_000);
    expect(Math.max(...toldPerTurn)).toBe(200);
    expect(toldPerTurn).toHaveLength(25);
  });

  it("has settled when the last of a crowd was told, and where nobody is to be told", async () => {
    const desk = bench();
    let told = 0;
    let toldWhenSettled = -1;
    for (let i = 0; i < 250; i++) open(desk, () => told++);
    await desk.subscribers.settled();

    for (let call = 0; call < 2; call++) desk.subscribers.publish(ACCOUNTS[0]!);
    const settled = desk.subscribers.settled().then(() => (toldWhenSettled = told));
    while (desk.runOne()) await Promise.resolve();
    await settled;

    expect(toldWhenSettled).toBe(500);
  });

  it("tells one that asks for something else while the rest of a crowd waits nothing twice", () => {
    const desk = bench();
    const told = new Array<number>(250).fill(0);
    const crowd = told.map((_, i) => open(desk, () => told[i]!++));
    desk.subscribers.publish(ACCOUNTS[0]!);
    desk.runOne();

    for (const one of [crowd[0]!, crowd[249]!]) one.configure({ wallet: WALLETS[1]!, thresholds: ALARMED });
    while (desk.runOne());

    expect(told).toEqual(new Array(250).fill(1));
  });

  it("goes on to the next call with what is left of a slice", () => {
    const desk = bench();
    let told = 0;
    for (let i = 0; i < 250; i++) open(desk, () => told++);

    for (let call = 0; call < 2; call++) desk.subscribers.publish(ACCOUNTS[0]!);
    const after: number[] = [];
    while (desk.runOne()) after.push(told);

    expect(after).toEqual([200, 400, 500]);
  });

  it("judges what a call found by what was asked for when it was made, also where that changes before it is told", () => {
    const desk = bench();
    const heard: string[] = [];
    const listening = (name: string): AlertSubscriber =>
      desk.subscribers.open(
        ([breach]) => heard.push(`${name} above ${breach!.threshold}`),
        () => expect.unreachable("a subscriber failed"),
      );
    const [strict, lax, moving] = [listening("strict"), listening("lax"), listening("moving")];
    const ask = (subscriber: AlertSubscriber, maxRiskScore: number, of = WALLETS[0]!): void =>
      subscriber.configure({ wallet: of, thresholds: { ...DEFAULT_ALERT_THRESHOLDS, maxRiskScore } });
    for (const subscriber of [strict, moving]) ask(subscriber, 0);
    ask(lax, 255);

    desk.subscribers.publish(ACCOUNTS[0]!);
    ask(strict, 255);
    ask(lax, 0);
    ask(moving, 0, WALLETS[1]);
    ask(moving, 0);
    expect(heard).toEqual(["strict above 0", "moving above 0"]);
    desk.runAll();

    expect(heard).toHaveLength(2);
  });

  it("drops of a call only those who wait for it still, also where one was told before its turn", () => {
    const desk = bench(2);
    const subscribers = [1, 2].map(() => open(desk, () => undefined));

    desk.subscribers.publish(ACCOUNTS[0]!);
    subscribers[0]!.configure({ wallet: WALLETS[0]!, thresholds: ALARMED });
    desk.subscribers.publish(ACCOUNTS[0]!);

    expect(desk.dropped()).toBe(1);
  });

  it("does no work for a wallet that nobody watches", () => {
    const desk = bench();
    open(desk, () => undefined);

    for (let i = 0; i < 100; i++) desk.subscribers.publish(ACCOUNTS[1]!);

    expect(desk.runOne()).toBe(false);
  });

  it("drops the oldest call when too many wait to be told, and counts whom it dropped", () => {
    // Two calls of 400, and not one more.
    const desk = bench(800);
    const heard: number[] = [];
    for (let i = 0; i < 400; i++) open(desk, ({ evaluatedAtMs }) => heard.push(evaluatedAtMs));

    for (let call = 1; call <= 4; call++) desk.subscribers.publish({ ...ACCOUNTS[0]!, evaluatedAtMs: call });
    desk.runAll();

    expect(new Set(heard)).toEqual(new Set([3, 4]));
    expect(heard).toHaveLength(800);
    expect(desk.dropped()).toBe(800);

    for (let call = 5; call <= 6; call++) desk.subscribers.publish({ ...ACCOUNTS[0]!, evaluatedAtMs: call });
    desk.runAll();
    expect(heard).toHaveLength(1_600);

    // What was told waits no more: three calls of 400 are too many again.
    for (let call = 7; call <= 9; call++) desk.subscribers.publish({ ...ACCOUNTS[0]!, evaluatedAtMs: call });
    desk.runAll();
    expect([heard.length, desk.dropped()]).toEqual([2_400, 1_200]);
  });

  it("drops only those of a call who have not been told yet", () => {
    const desk = bench(500);
    let told = 0;
    for (let i = 0; i < 400; i++) open(desk, () => told++);

    desk.subscribers.publish(ACCOUNTS[0]!);
    desk.runOne();
    desk.subscribers.publish(ACCOUNTS[0]!);
    desk.runAll();

    expect([told, desk.dropped()]).toEqual([600, 200]);
  });

  it("still knows how many wait after it has dropped a call of which some had been told", () => {
    const desk = bench(650);
    let told = 0;
    for (let i = 0; i < 400; i++) open(desk, () => told++);

    desk.subscribers.publish(ACCOUNTS[0]!);
    desk.runOne();
    // 200 of the first call wait with 400 of the second; with the third, only its own 400 may.
    for (let call = 0; call < 2; call++) desk.subscribers.publish(ACCOUNTS[0]!);
    expect(desk.dropped()).toBe(600);
    desk.runAll();

    expect(told).toBe(600);
  });

  it("tells a crowd beyond the bound of a single call all the same", () => {
    const desk = bench(100);
    let told = 0;
    for (let i = 0; i < 400; i++) open(desk, () => told++);

    desk.subscribers.publish(ACCOUNTS[0]!);
    desk.runAll();

    expect([told, desk.dropped()]).toEqual([400, 0]);
  });

  it("lets one subscriber's failure end that subscriber and no other", () => {
    const desk = bench();
    const failures: unknown[] = [];
    let told = 0;
    const failing = desk.subscribers.open(
      () => {
        throw new Error("on purpose");
      },
      (error) => failures.push(error),
    );
    failing.configure({ wallet: WALLETS[2]!, thresholds: ALARMED });
    open(desk, () => told++);

    for (let call = 0; call < 3; call++) {
      for (const account of ACCOUNTS) desk.subscribers.publish(account);
    }
    desk.runAll();
    failing.configure({ wallet: WALLETS[1]!, thresholds: ALARMED });

    expect(failures).toHaveLength(1);
    expect(told).toBe(3);
    expect(desk.subscribers.walletCount).toBe(1);
  });
});

const CLOSED = -1;

interface Bench {
  readonly subscribers: AlertSubscribers;
  /** How often a subscriber was not told of a call. */
  dropped(): number;
  runOne(): boolean;
  runAll(): void;
}

/** What was deferred runs when the test says so. */
function bench(waitingMax = 1e9): Bench {
  const tasks: (() => void)[] = [];
  let dropped = 0;
  const runOne = (): boolean => {
    const task = tasks.shift();
    task?.();
    return task !== undefined;
  };
  return {
    subscribers: new AlertSubscribers({
      defer: (task) => tasks.push(task),
      waitingMax,
      onDropped: (subscribers) => (dropped += subscribers),
    }),
    dropped: () => dropped,
    runOne,
    runAll() {
      while (runOne());
    },
  };
}

function open({ subscribers }: Bench, onTold: (monitored: MonitoredAccount) => void): AlertSubscriber {
  const subscriber = subscribers.open(
    (_breaches, monitored) => onTold(monitored),
    () => expect.unreachable("a subscriber failed"),
  );
  subscriber.configure({ wallet: WALLETS[0]!, thresholds: ALARMED });
  return subscriber;
}
