import { describe, expect, it } from "vitest";
import { bring } from "../support/live-session.ts";
import { book, coins, live, names, only, plan, SILENCE_MS, started } from "../support/session-bench.ts";

// Mutants killed by hand: timers of a lost socket go on; frames of a cut socket pass; a new connection is as impatient
// as one that had data; a suspect stays one after its acknowledgement; a quarantine without an end; a late
// acknowledgement not taken; a socket that never was live lost without a word, or at every attempt; what is wanted no more is subscribed; the wait for our own pace taken for silence.

describe("a socket that never gets through", () => {
  it("says why once, and again when one that did is lost", async () => {
    const { timers, transport, log } = started("BTC");
    await timers.advance(0);
    for (let attempt = 1; attempt <= 3; attempt++) {
      while (transport.sockets.length < attempt) await timers.advance(1_000);
      transport.sockets.at(-1)!.drop("self-signed certificate");
    }
    expect(log).toEqual(["lost: self-signed certificate"]);

    while (transport.sockets.length < 4) await timers.advance(1_000);
    await bring(transport.sockets.at(-1), timers);
    transport.sockets.at(-1)!.drop("gone");
    expect(log).toEqual(["lost: self-signed certificate", "restored", "lost: gone"]);
  });
});

describe("a socket that is closed while it waits to connect again", () => {
  it("leaves no timer behind, for which its thread would wait", async () => {
    const { session, timers, transport } = started("BTC");
    await timers.advance(0);
    transport.sockets.at(-1)!.drop();
    session.close();
    expect(timers.waitingCount).toBe(0);
  });
});

describe("a socket of which nothing is wanted any more", () => {
  it("is ended without a word, and connected again when something is", async () => {
    const { session, timers, transport, log } = await live("BTC");

    session.want(plan([]));
    expect(session.state).toBe("idle");
    expect(only(transport).isOpen).toBe(false);
    await timers.advance(10 * SILENCE_MS);
    expect(log).toEqual(["restored"]);
    expect(timers.waitingCount).toBe(0);
    expect(transport.sockets).toHaveLength(1);

    session.want(plan(["BTC"]));
    await timers.advance(0);
    await bring(transport.sockets[1], timers);
    expect(coins(transport.sockets[1])).toEqual(["BTC"]);
    expect(session.state).toBe("live");
  });

  it("is no more missed where it was lost before", async () => {
    const { session, timers, transport, log } = await live("BTC");
    only(transport).drop("gone");

    session.want(plan([]));
    await timers.advance(60_000);

    expect(log).toEqual(["restored", "lost: gone", "restored"]);
    expect(transport.sockets).toHaveLength(1);
  });

  it("is no more missed where only some of it had come back", async () => {
    const { session, timers, transport, log, frames } = await live("BTC", "ETH");
    only(transport).drop("gone");
    await timers.advance(1_000);
    transport.sockets[1]!.open();
    transport.sockets[1]!.receive(book("BTC"));
    expect(frames()).toBe(1);

    session.want(plan([]));

    expect(log).toEqual(["restored", "lost: gone", "restored"]);
  });

  it("leaves no name in doubt that was not answered by then", async () => {
    const { session, timers, transport } = started("BTC", "ETH");
    await timers.advance(0);
    await bring(only(transport), timers);
    session.want(plan(["BTC", "ETH", "SOL", "DOGE"]));
    await timers.advance(100);

    session.want(plan([]));
    session.want(plan(["SOL", "DOGE"]));
    await timers.advance(0);
    transport.sockets[1]!.open();
    await timers.advance(100);

    expect(coins(transport.sockets[1])).toEqual(["SOL", "DOGE"]);
  });
});

describe("a socket that was lost", () => {
  it("leaves no timer behind: the next one pings no more often", async () => {
    const { timers, transport } = await live("BTC");
    for (let loss = 0; loss < 3; loss++) {
      transport.sockets.at(-1)!.drop();
      await timers.advance(2_000);
      await bring(transport.sockets.at(-1), timers);
    }
    const socket = transport.sockets.at(-1)!;
    const pingsBefore = pings(socket.sent);

    for (let second = 0; second < 100; second++) {
      await timers.advance(1_000);
      socket.receive(book("BTC"));
    }

    expect(pings(socket.sent) - pingsBefore).toBe(4);
  });

  it("brings nothing more once it was called lost, however late it ends", async () => {
    const { session, timers, transport, log, frames } = await live("BTC");
    transport.endsAtOnce = false;
    await timers.advance(SILENCE_MS);
    expect(log.at(-1)).toMatch(/^lost: silent/);

    only(transport).receive(book("BTC"));
    await timers.advance(5_000);
    expect(frames()).toBe(0);

    only(transport).drop();
    await timers.advance(1_000);
    await bring(transport.sockets[1], timers);
    expect(session.state).toBe("live");
    expect(log.map((line) => line.slice(0, 8))).toEqual(["restored", "lost: si", "restored"]);
  });

  it("has no part in the patience with the next: data are due only once it has brought some", async () => {
    const { session, timers, transport } = await live({ silenceMsMax: 3_000 }, "BTC", "ETH");
    only(transport).receive(book("BTC"));
    only(transport).drop();
    await timers.advance(1_000);
    const next = transport.sockets[1]!;
    next.open();
    await timers.advance(0);
    next.acknowledge(next.subscriptions[0]!);

    await timers.advance(4_000);

    expect(session.state).toBe("subscribing");
    expect(transport.sockets).toHaveLength(2);
  });

  it("is resubscribed at full pace when all that once was in doubt has been acknowledged since", async () => {
    const { timers, transport } = started(...names(20));
    await timers.advance(0);
    only(transport).open();
    await timers.advance(0);
    only(transport).drop();
    await timers.advance(1_000);
    // All were out at the drop, so they are asked for one at a time.
    const second = transport.sockets[1]!;
    second.open();
    for (let i = 0; i < 20; i++) {
      await timers.advance(10);
      expect(coins(second)).toHaveLength(i + 1);
      second.acknowledge(second.subscriptions.at(-1)!);
    }

    second.drop();
    await timers.advance(1_000);
    transport.sockets[2]!.open();
    await timers.advance(0);

    expect(coins(transport.sockets[2])).toHaveLength(20);
  });
});

/** As the exchange does where BAD is no coin: the socket that asks for it is dropped. */
async function serveAllButBad(
  { timers, transport }: ReturnType<typeof started>,
  seconds: number,
): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await timers.advance(1_000);
    const socket = transport.sockets.at(-1)!;
    if (!socket.isOpen) socket.open();
    await timers.advance(0);
    for (const subscription of socket.subscriptions.filter(({ coin }) => coin !== "BAD"))
      socket.acknowledge(subscription);
    await timers.advance(0);
    if (socket.subscriptions.some(({ coin }) => coin === "BAD")) socket.drop();
    else socket.receive(book("BTC"));
  }
}

describe("a subscription", () => {
  it("that dropped the socket is asked for again ten minutes later, and costs it once when it still does", async () => {
    const bench = started("BTC", "BAD");
    const { session, transport, log } = bench;
    const serve = (seconds: number): Promise<void> => serveAllButBad(bench, seconds);
    await serve(30);
    expect(session.state).toBe("live");
    const socketsBefore = transport.sockets.length;

    await serve(500);
    expect(transport.sockets).toHaveLength(socketsBefore);
    await serve(200);

    expect(transport.sockets).toHaveLength(socketsBefore + 1);
    expect(session.state).toBe("live");
    expect(log.filter((line) => line.startsWith("rejected: left out"))).toHaveLength(2);
  });

  it("that dropped the socket is asked for at once where it is wanted again after it was not", async () => {
    const bench = started("BTC", "BAD");
    const { session, transport } = bench;
    await serveAllButBad(bench, 30);
    expect(session.state).toBe("live");
    const socketsBefore = transport.sockets.length;

    session.want(plan(["BTC"]));
    await serveAllButBad(bench, 5);
    session.want(plan(["BTC", "BAD"]));
    await serveAllButBad(bench, 5);

    expect(transport.sockets).toHaveLength(socketsBefore + 1);
    expect(session.state).toBe("live");
  });

  it("that is acknowledged late is not asked for again", async () => {
    const { session, timers, transport } = started("BTC", "LATE");
    await timers.advance(0);
    const socket = only(transport);
    socket.open();
    await timers.advance(0);
    socket.acknowledge(socket.subscriptions[0]!);
    for (let second = 0; second < 70; second++) {
      await timers.advance(1_000);
      socket.receive(book("BTC"));
      if (second === 8) socket.acknowledge(socket.subscriptions[1]!);
    }

    expect(session.state).toBe("live");
    expect(coins(socket)).toEqual(["BTC", "LATE"]);
  });

  it("that is acknowledged late and wanted no more is ended", async () => {
    const { session, timers, transport } = await live("A");
    const socket = only(transport);
    session.want(plan(["A", "B"]));
    await timers.advance(5_500);
    session.want(plan(["A"]));

    socket.acknowledge(socket.subscriptions.at(-1)!);

    expect(socket.sent.at(-1)).toMatchObject({ method: "unsubscribe", subscription: { coin: "B" } });
  });

  it("that is wanted no more when its turn comes is not asked for", async () => {
    const { session, timers, transport } = started(...names(40));
    await timers.advance(0);
    only(transport).open();
    await timers.advance(50);
    expect(coins(only(transport))).toHaveLength(20);

    session.want(plan([...names(20), "NEW"]));
    await timers.advance(200);

    expect(coins(only(transport)).slice(20)).toEqual(["NEW"]);
  });

  it("may wait for its turn as long as our own pace makes it", async () => {
    const messages = { capacity: 1, windowMs: 60_000 };
    const { session, timers, transport } = started({ silenceMsMax: null, messages }, "BTC");
    session.want(plan(["BTC", "ETH"]));
    await timers.advance(0);
    const socket = only(transport);
    socket.open();
    await timers.advance(0);
    // What is wanted instead of the one that used the budget up has to wait for the next minute.
    session.want(plan(["ETH"]));
    for (let second = 0; second < 61; second++) {
      await timers.advance(1_000);
      socket.receive({ channel: "pong" });
    }

    expect(transport.sockets).toHaveLength(1);
    expect(coins(socket)).toEqual(["BTC", "ETH"]);
    socket.acknowledgeAll();
    expect(session.state).toBe("live");
  });
});

describe("silence", () => {
  it("is not broken by what came before a sleep of the machine and is read after it", async () => {
    const { session, timers, transport, log, frames } = await live("BTC");
    const before = { frames: frames(), timers: timers.waitingCount };
    timers.setBack(-8 * 3_600_000);
    transport.endsAtOnce = false;

    only(transport).receive(book("BTC"));
    only(transport).receive(book("BTC"));
    expect(frames()).toBe(before.frames);
    // One silence is told of, and not again until the connection has ended.
    expect(timers.waitingCount).toBe(before.timers - 1);
    expect(log.at(-1)).toMatch(/^lost: silent for 288\d+ ms/);
    only(transport).drop();
    await timers.advance(2_000);
    await bring(transport.sockets[1], timers);
    expect(session.state).toBe("live");
  });

  it("is not broken by frames of a channel that nobody knows", async () => {
    const { timers, transport, log } = await live("BTC");
    for (let i = 0; i < 13; i++) {
      only(transport).receive({ channel: "newThing", data: 1 });
      await timers.advance(1_000);
    }
    expect(log.at(-1)).toMatch(/^lost: silent/);
  });
});

function pings(sent: readonly Record<string, unknown>[]): number {
  return sent.filter(({ method }) => method === "ping").length;
}
