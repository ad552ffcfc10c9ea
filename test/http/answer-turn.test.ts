import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { AnswerTurn, type ReadRequest, type TextSink } from "../../src/http/answer-turn.ts";
import { ClientSocket } from "../../src/http/client-socket.ts";
import { BusyPolling } from "../../src/http/busy-polling.ts";
import type { AnswerText } from "../../src/http/endpoint.ts";

// Mutants killed by hand: a crowd answered as it comes, a quiet turn held, a crowd for ever, left at a turn of two; texts not kept, kept one over
// the other, held beyond the memory or the time; texts of a sink sent one by one, of two sinks together; the rest not
// sent; sendMade that sends nothing; no polling, for ever, from the first request only; a crowd forgotten while polling;
// nothing put off, other sinks' requests put off, new requests before those put off, any number of bytes put off, a message without its 256, what was answered still counted.

const polling = (): BusyPolling => new BusyPolling(0.1, 2, BusyPolling.memoryFor(1), 0, 0);

/** What every text is written into, one at a time, as the real writer's are. */
const MEMORY = new Uint8Array(200_000);

describe("AnswerTurn", () => {
  let turn: AnswerTurn;
  let nowMs = 0;
  let log: string[] = [];

  beforeEach(() => {
    nowMs = 0;
    log = [];
    turn = new AnswerTurn(null, () => nowMs);
  });

  it("answers a few requests of a turn as they come", () => {
    add("a", "b", "c");

    expect(log).toEqual(["answer a", "send a", "answer b", "send b", "answer c", "send c"]);
  });

  it("answers a few as they come however long the last turn is over", () => {
    nowMs = 60_000;
    add("a", "b");

    expect(log).toEqual(["answer a", "send a", "answer b", "send b"]);
  });

  it("answers a crowd when all were read, and sends when all are answered", async () => {
    await crowd();

    add("a", "b", "c", "d");
    expect(log).toEqual([]);
    await turn.settled();

    expect(log).toEqual([
      ...["answer a", "answer b", "answer c", "answer d"],
      ...["send a", "send b", "send c", "send d"],
    ]);
  });

  it("goes on collecting after a turn of two: a crowd comes in parts", async () => {
    await crowd();
    add("a", "b");
    await turn.settled();
    log = [];

    add("c");

    expect(log).toEqual([]);
  });

  it("answers as they come again after a turn of one", async () => {
    await crowd();
    add("a");
    await turn.settled();
    log = [];

    add("b");

    expect(log).toEqual(["answer b", "send b"]);
  });

  it("sends what is made when a text has waited for a millisecond", async () => {
    await crowd();

    const slow = { ...requestOf("b"), answer: () => ((nowMs += 1), "b") };
    for (const request of [requestOf("a"), slow, requestOf("c"), requestOf("d")]) turn.add(request);
    await turn.settled();

    expect(log).toEqual(["answer a", "send a", "send b", "answer c", "answer d", "send c", "send d"]);
  });

  it("sends what is made before a request that asks for it goes on", async () => {
    await crowd();

    const ending: ReadRequest = {
      sink: { send: () => undefined },
      keptBytes: 0,
      answer: () => {
        turn.sendMade();
        log.push("end b");
        return null;
      },
    };
    for (const request of [requestOf("a"), ending, requestOf("c")]) turn.add(request);
    await turn.settled();

    expect(log).toEqual(["answer a", "send a", "end b", "answer c", "send c"]);
  });

  it("gives a sink the texts together that were made one after the other for it", async () => {
    await crowd();
    const [one, other] = [sinkOf("one"), sinkOf("other")];

    for (const sink of [one, one, other, one]) turn.add({ sink, keptBytes: 0, answer: () => "x" });
    await turn.settled();

    expect(log).toEqual(["send one x,x", "send other x", "send one x"]);
  });

  it("puts off what one sink still asks when a turn has lasted long: others are answered before, in order", async () => {
    await crowd();
    const [greedy, other] = [sinkOf("greedy"), sinkOf("other")];
    const slow = (sink: TextSink, text: string): ReadRequest => ({
      sink,
      keptBytes: 0,
      answer: () => ((nowMs += 3), text),
    });

    for (const text of ["1", "2", "3", "4"]) turn.add(slow(greedy, text));
    turn.add(slow(other, "a"));
    setImmediate(() => turn.add(slow(other, "b")));
    await turn.settled();

    expect(log).toEqual(
      ["greedy 1", "greedy 2", "other a", "greedy 3", "greedy 4", "other b"].map((sent) => `send ${sent}`),
    );
  });

  it("answers one request of each sink that it comes to after it has lasted long, and puts off the others", async () => {
    await crowd();
    const [greedy, other] = [sinkOf("greedy"), sinkOf("other")];
    const ask = (sink: TextSink, text: string): void => {
      turn.add({ sink, keptBytes: 0, answer: () => ((nowMs += 3), text) });
    };

    for (const text of ["1", "2", "3"]) ask(greedy, text);
    for (const text of ["a", "b"]) ask(other, text);
    await turn.settled();

    expect(log).toEqual(
      ["greedy 1", "greedy 2", "other a", "greedy 3", "other b"].map((sent) => `send ${sent}`),
    );
  });

  it("lets nothing overtake what was put off, after turns that brought none either", async () => {
    await crowd();
    const greedy = sinkOf("greedy");
    const ask = (text: string): void => {
      turn.add({ sink: greedy, keptBytes: 0, answer: () => ((nowMs += 3), text) });
    };

    for (const text of ["1", "2", "3", "4", "5", "6", "7", "8"]) ask(text);
    setImmediate(() => setImmediate(() => ask("9")));
    await turn.settled();
    await turn.settled();

    expect(log).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map((text) => `send greedy ${text}`));
  });

  it("puts off what comes in a turn of few that has lasted long", async () => {
    const [greedy, other] = [sinkOf("greedy"), sinkOf("other")];
    const slow = (sink: TextSink, text: string): ReadRequest => ({
      sink,
      keptBytes: 0,
      answer: () => ((nowMs += 3), text),
    });

    for (const text of ["1", "2", "3", "4", "5", "6"]) turn.add(slow(greedy, text));
    turn.add(slow(other, "a"));
    expect(log).toEqual(["send greedy 1", "send greedy 2"]);
    await turn.settled();

    expect(log.slice(2)).toEqual(
      ["greedy 3", "greedy 4", "other a", "greedy 5", "greedy 6"].map((sent) => `send ${sent}`),
    );
  });

  it("counts every request once, answered as it comes or later", async () => {
    add("a", "b");
    expect(turn.requests).toBe(2);
    await crowd();
    const before = turn.requests;
    add("c", "d", "e");
    await turn.settled();
    expect(turn.requests).toBe(before + 3);
  });

  it("has settled when what was added is answered, whatever is asked meanwhile", async () => {
    await crowd();
    const client = sinkOf("client");
    let asked = 0;
    let isAsking = true;
    const ask = (): void => {
      const text = String(++asked);
      const answer = (): string => {
        nowMs += 3;
        if (isAsking) setImmediate(ask);
        return text;
      };
      turn.add({ sink: client, keptBytes: 0, answer });
    };
    for (let i = 0; i < 6; i++) ask();

    await turn.settled();

    expect(log).toContain("send client 6");
    isAsking = false;
    await turn.settled();
    await turn.settled();
    expect(log.at(-1)).toBe(`send client ${asked}`);
  });

  it("puts off requests of a bounded number of bytes", async () => {
    await crowd();
    let answers = 0;
    const sink = { send: () => undefined };
    const answer = (): null => ((nowMs += 3), answers++, null);
    for (let i = 0; i < 40; i++) turn.add({ sink, keptBytes: 1024 * 1024, answer });

    await nextTurn();
    expect(answers).toBe(40 - 32);
    await nextTurn();
    expect(answers).toBe(40 - 32 + 2);
    await turn.settled();
    expect(answers).toBe(40);
  });

  it("counts a message of a socket with 256 bytes beside its text", () => {
    const kept: number[] = [];
    const add = ({ keptBytes }: ReadRequest): number => kept.push(keptBytes);
    const events = { onClosed: () => undefined } as never;
    const limits = { pingPeriodMs: 1_000 } as never;
    const ws = { getBufferedAmount: () => 0 } as never;
    const socket = new ClientSocket(ws, { add } as never, limits, { totalBytes: 0, endedBytes: 0 }, events);

    for (const text of [null, "", "x".repeat(1_000)]) socket.received(text);
    socket.closed();

    expect(kept).toEqual([256, 256, 1_256]);
  });

  it("puts off any number of small ones", async () => {
    await crowd();
    let answers = 0;
    const sink = { send: () => undefined };
    const answer = (): null => ((nowMs += 3), answers++, null);
    for (let i = 0; i < 5_000; i++) turn.add({ sink, keptBytes: 500, answer });

    await nextTurn();
    expect(answers).toBe(2);
    await turn.settled();
    expect(answers).toBe(5_000);
  });

  it("looks for the next request for as long as it was told after one, and then sleeps", async () => {
    turn = new AnswerTurn(polling(), () => nowMs);
    add("a");
    await turn.settled();
    const immediates = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === "Immediate").length;

    expect(immediates()).toBe(1);
    nowMs = 0.09;
    await turn.settled();
    expect(immediates()).toBe(1);
    add("b");
    nowMs = 0.18;
    await turn.settled();
    expect(immediates()).toBe(1);
    nowMs = 0.28;
    await turn.settled();
    expect(immediates()).toBe(0);
  });

  it("collects a crowd's requests after turns that brought none", async () => {
    turn = new AnswerTurn(polling(), () => nowMs);
    await crowd();
    await turn.settled();
    await turn.settled();

    add("a");

    expect(log).toEqual([]);
    await turn.settled();
    expect(log).toEqual(["answer a", "send a"]);
  });

  it("gives every sink its texts, whole and in order", async () => {
    const message = fc.record({
      sink: fc.nat({ max: 3 }),
      length: fc.oneof(fc.integer({ min: 1, max: 30_000 }), fc.constantFrom(98_304, 150_000)),
      isText: fc.boolean(),
    });
    const turns = fc.array(fc.array(message, { maxLength: 12 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(turns, fc.constantFrom(0, 1), async (drawn, stepMs) => {
        const answers = new AnswerTurn(null, () => (nowMs += stepMs));
        const sent: string[][] = [[], [], [], []];
        const sinks = sent.map((to): TextSink => ({
          send: (texts) => to.push(...texts.map(summaryOf)),
        }));
        const expected: string[][] = [[], [], [], []];
        let fill = 0;
        for (const messages of drawn) {
          for (const { sink, length, isText } of messages) {
            const digit = ++fill % 10;
            expected[sink]!.push(`${digit}x${length}`);
            answers.add({ sink: sinks[sink]!, keptBytes: 0, answer: () => textOf(digit, length, isText) });
          }
          await answers.settled();
        }
        expect(sent).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  /** A turn after which requests are collected. */
  async function crowd(): Promise<void> {
    add("1", "2", "3", "4");
    await turn.settled();
    log = [];
  }

  function add(...names: string[]): void {
    for (const name of names) turn.add(requestOf(name));
  }

  function requestOf(name: string): ReadRequest {
    return {
      sink: { send: (texts) => log.push(`send ${texts.map(plain).join()}`) },
      keptBytes: 0,
      answer: () => {
        log.push(`answer ${name}`);
        MEMORY[0] = name.charCodeAt(0);
        return MEMORY.subarray(0, 1);
      },
    };
  }

  function sinkOf(name: string): TextSink {
    return { send: (texts) => log.push(`send ${name} ${texts.map(plain).join()}`) };
  }
});

function plain(text: AnswerText): string {
  return typeof text === "string" ? text : Buffer.from(text).toString();
}

/** So many times one digit, as a string or as bytes of the memory that the next text overwrites. */
function textOf(digit: number, length: number, isText: boolean): AnswerText {
  if (isText) return String(digit).repeat(length);
  MEMORY.fill(48 + digit, 0, length);
  return MEMORY.subarray(0, length);
}

function summaryOf(text: AnswerText): string {
  const digits = new Set(plain(text));
  return `${[...digits].join()}x${text.length}`;
}
