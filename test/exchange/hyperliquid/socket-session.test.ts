import { describe, expect, it } from "vitest";
import type { ManualTimers } from "../../support/manual-timers.ts";
import { bring } from "../support/live-session.ts";
import type { ScriptedSocket } from "../support/scripted-transport.ts";
import { book, coins, live, names, only, plan, SILENCE_MS, started } from "../support/session-bench.ts";

// Mutants tried: no generation check (frames of an old socket pass); the watchdog not restarted after a reconnect;
// acknowledged kept over a drop (nothing resubscribed); "Already subscribed" treated as a refusal; suspects not sent
// alone; failures not reset, or short lives; short lives not counted, or one of any length. Each fails below.

describe("SocketSession", () => {
  it("connects when something is wanted, subscribes, and is live once all is acknowledged", async () => {
    const { session, timers, transport, log } = started("BTC", "ETH");
    expect(session.state).toBe("connecting");

    await timers.advance(0);
    const socket = only(transport);
    socket.open();
    await timers.advance(0);
    expect(session.state).toBe("subscribing");
    expect(coins(socket)).toEqual(["BTC", "ETH"]);

    socket.acknowledgeAll();
    expect(session.state).toBe("live");
    expect(log).toEqual(["restored"]);
  });

  it("sends at most 20 subscriptions in 100 ms", async () => {
    const { timers, transport } = started(...names(60));
    await timers.advance(0);
    only(transport).open();

    await timers.advance(99);
    expect(coins(only(transport))).toHaveLength(20);
    await timers.advance(100);
    expect(coins(only(transport))).toHaveLength(40);
  });

  it("pings so that the server never waits 60 s for a reason to answer", async () => {
    const { timers, transport } = await live("BTC");
    const socket = only(transport);
    for (let second = 0; second < 100; second++) {
      await timers.advance(1_000);
      socket.receive(book("BTC"));
    }
    expect(socket.sent.filter((frame) => frame["method"] === "ping")).toHaveLength(5);
  });

  it("calls a silent socket lost, cuts it, backs off and comes back", async () => {
    const { session, timers, transport, log } = await live("BTC");
    await timers.advance(SILENCE_MS - 1);
    expect(session.state).toBe("live");

    await timers.advance(1);
    expect(session.state).toBe("backing_off");
    expect(log.at(-1)).toMatch(/^lost: silent for 12000 ms/);

    await timers.advance(1_000);
    expect(transport.sockets).toHaveLength(2);
    await bring(transport.sockets[1], timers);
    expect(session.state).toBe("live");
    expect(log.at(-1)).toBe("restored");
    await timers.advance(2 * SILENCE_MS);
    expect(log.at(-1)).toMatch(/^lost: silent/);
  });

  it("waits twice as long for data after each silence in a row, a minute at most, until data go on", async () => {
    const { timers, transport, log } = await live("BTC");
    const silencesMs: number[] = [];
    const waitForSilence = async (): Promise<void> => {
      for (let second = 0; !log.at(-1)?.startsWith("lost"); second++) {
        if (second % 20 === 19) transport.sockets.at(-1)?.receive({ channel: "pong" });
        await timers.advance(1_000);
      }
      silencesMs.push(Number(/silent for (\d+) ms/.exec(log.at(-1) ?? "")?.[1]));
      const count = transport.sockets.length;
      while (transport.sockets.length === count) await timers.advance(1_000);
      await bring(transport.sockets.at(-1), timers);
      transport.sockets.at(-1)?.receive(book("BTC"));
    };
    for (let silence = 0; silence < 4; silence++) await waitForSilence();

    await timers.advance(SILENCE_MS + 1_000);
    transport.sockets.at(-1)?.receive(book("BTC"));
    await waitForSilence();

    expect(silencesMs).toEqual([12_000, 24_000, 48_000, 60_000, 12_000]);
  });

  it("is not fooled by pongs: only data proves a channel alive", async () => {
    const { timers, transport, log } = await live("BTC");
    for (let i = 0; i < 13; i++) {
      only(transport).receive({ channel: "pong" });
      await timers.advance(1_000);
    }
    expect(log.at(-1)).toMatch(/^lost: silent/);
  });

  it("lets a channel without a clock be silent as long as pongs come, and no longer", async () => {
    const quiet = await live("BTC");
    const noClock = await live({ silenceMsMax: null }, "BTC");
    expect(quiet.log).toEqual(["restored"]);
    for (let i = 0; i < 10; i++) {
      await noClock.timers.advance(25_000);
      only(noClock.transport).receive({ channel: "pong" });
    }
    expect(noClock.log).toEqual(["restored"]);
    await noClock.timers.advance(60_000);
    expect(noClock.log.at(-1)).toMatch(/^lost/);
  });

  it("says lost once per loss, resubscribes everything after a kill, and ignores the dead socket", async () => {
    const { timers, transport, log, frames } = await live("BTC", "ETH");
    const dead = only(transport);
    dead.drop();
    await timers.advance(1_000);
    const next = transport.sockets[1];
    next?.open();
    await timers.advance(100);

    dead.receive(book("BTC"));
    expect(frames()).toBe(0);
    expect(log).toEqual(["restored", "lost: closed 1006"]);
    expect(coins(next)).toEqual(["BTC", "ETH"]);
  });

  it("tells of a loss as soon as anything was delivered, live or not", async () => {
    const { timers, transport, log } = started("BTC", "ETH");
    await timers.advance(0);
    const socket = only(transport);
    socket.open();
    await timers.advance(0);
    socket.receive(book("BTC"));
    socket.drop();
    expect(log[0]).toMatch(/^lost: closed 1006 unacknowledged .*BTC.*ETH/);
  });

  it("waits longer after each failure, up to half a minute, and starts over after a success", async () => {
    const { timers, transport } = started("BTC");
    const gapsMs: number[] = [];
    let lastMs = timers.nowMs();
    await timers.advance(0);
    for (let i = 0; i < 9; i++) {
      transport.sockets[i]?.drop("ECONNREFUSED");
      while (transport.sockets.length < i + 2) await timers.advance(50);
      gapsMs.push(timers.nowMs() - lastMs);
      lastMs = timers.nowMs();
    }
    // uniform 0.5 jitters every wait to three quarters
    expect(gapsMs.slice(0, 3)).toEqual([400, 750, 1500]);
    expect(gapsMs.at(-1)).toBe(22_500);

    await bring(transport.sockets[9], timers);
    transport.sockets[9]?.drop();
    await timers.advance(400);
    expect(transport.sockets).toHaveLength(11);
  });

  it("never connects more often than its share of 30 times a minute, whatever the server does", async () => {
    const { timers, transport } = started("BTC");
    for (let ms = 0; ms < 59_900; ms += 100) {
      await timers.advance(100);
      const socket = transport.sockets.at(-1);
      if (socket !== undefined && !socket.isOpen) await bring(socket, timers);
      socket?.drop();
    }
    expect(transport.sockets.length).toBeLessThanOrEqual(24);
  });

  it("waits longer after each connection that is lost soon after it was live, until one goes on", async () => {
    const { timers, transport } = await live("BTC");
    const lostAfter = async (lifeMs: number): Promise<number> => {
      const socket = transport.sockets.at(-1)!;
      for (let ms = 0; ms < lifeMs; ms += 1_000) {
        await timers.advance(1_000);
        socket.receive(book("BTC"));
      }
      const lostAtMs = timers.nowMs();
      const count = transport.sockets.length;
      socket.drop();
      while (transport.sockets.length === count) await timers.advance(25);
      const waitedMs = timers.nowMs() - lostAtMs;
      await bring(transport.sockets.at(-1), timers);
      return waitedMs;
    };
    const waitsMs: number[] = [];
    for (const lifeMs of [1_000, 9_000, 1_000, 1_000, 11_000, 1_000]) waitsMs.push(await lostAfter(lifeMs));

    // uniform 0.5 jitters every wait to three quarters
    expect(waitsMs).toEqual([375, 750, 1_500, 3_000, 375, 750]);
  });

  it("takes Already subscribed for an acknowledgement", async () => {
    const { session, timers, transport } = started("BTC");
    await timers.advance(0);
    only(transport).open();
    await timers.advance(0);
    only(transport).receive({
      channel: "error",
      data: 'Already subscribed: {"type":"l2Book","coin":"BTC","nSigFigs":null,"mantissa":null,"fast":false}',
    });
    expect(session.state).toBe("live");
  });

  it("finds the one name that drops the socket and lives without it", async () => {
    const { session, timers, transport, log } = started("BTC", "BAD", "ETH");
    for (let i = 0; i < 6 && session.state !== "live"; i++) {
      await timers.advance(i === 0 ? 0 : 10_000);
      await serve(transport.sockets[i], timers);
    }

    expect(session.state).toBe("live");
    expect(log.filter((line) => line.startsWith("rejected: left out"))).toHaveLength(1);
    expect(log.find((line) => line.startsWith("rejected: left out"))).toContain("BAD");
    expect(transport.sockets.length).toBeLessThanOrEqual(3);
  });

  it("gives up a suspect that is answered by an error without a name, sends the others, and tries it again", async () => {
    const { session, timers, transport, log } = started("SOL", "HYPE", "XRP");
    await timers.advance(0);
    only(transport).open();
    await timers.advance(0);
    only(transport).drop();
    await timers.advance(1_000);
    const socket = transport.sockets[1]!;
    socket.open();
    await timers.advance(0);
    expect(coins(socket)).toEqual(["SOL"]);
    socket.receive({ channel: "error", data: "Cannot send more than 2000 messages per minute." });

    for (const [i, name] of ["HYPE", "XRP"].entries()) {
      await timers.advance(i === 0 ? 6_000 : 0);
      expect(coins(socket).at(-1)).toBe(name);
      socket.acknowledge(socket.subscriptions.at(-1)!);
    }
    expect(session.state).toBe("live");
    expect(log.find((line) => line.startsWith("rejected: not answered"))).toContain("SOL");
    for (let second = 0; second < 65; second++) {
      await timers.advance(1_000);
      socket.receive(book("XRP"));
    }
    expect(coins(socket)).toEqual(["SOL", "HYPE", "XRP", "SOL"]);
    socket.acknowledge(socket.subscriptions[0]!);
    expect(transport.sockets).toHaveLength(2);
  });

  it("is live but for what is not answered, and falls silent as ever", async () => {
    const { session, timers, transport, log } = started("BTC", "ODD");
    await timers.advance(0);
    const socket = only(transport);
    socket.open();
    await timers.advance(0);
    socket.acknowledge(socket.subscriptions[0]!);
    socket.receive({ channel: "error", data: "Invalid subscription ODD" });
    for (let second = 0; second < 6; second++) {
      expect(session.state).toBe("subscribing");
      await timers.advance(1_000);
      socket.receive(book("BTC"));
      if (session.state === "live") break;
    }
    expect([session.state, log.at(-1)]).toEqual(["live", "restored"]);

    for (let second = 0; second < 12; second++) {
      socket.receive({ channel: "pong" });
      await timers.advance(1_000);
    }
    expect(log.at(-1)).toMatch(/^lost: silent/);
  });

  it("notices silence while it is still subscribing, once data has come", async () => {
    const { timers, transport, log } = started({ silenceMsMax: 3_000 }, "BTC", "ODD");
    await timers.advance(0);
    const socket = only(transport);
    socket.open();
    await timers.advance(0);
    socket.acknowledge(socket.subscriptions[0]!);
    socket.receive(book("BTC"));
    for (let second = 0; second < 3; second++) {
      socket.receive({ channel: "pong" });
      await timers.advance(1_000);
    }
    expect(log.at(-1)).toMatch(/^lost: silent for 3000 ms/);
  });

  it("cuts a socket that answers pings and nothing else", async () => {
    const { session, timers, transport } = started({ silenceMsMax: null }, "BTC", "ETH");
    await timers.advance(0);
    const socket = only(transport);
    socket.open();
    for (let second = 0; second < 30; second++) {
      socket.receive({ channel: "pong" });
      await timers.advance(1_000);
    }
    expect(session.state).toBe("backing_off");

    await timers.advance(1_000);
    await bring(transport.sockets[1], timers);
    expect(session.state).toBe("live");
  });

  it("stays while one set of names takes the place of another", async () => {
    const { session, timers, transport } = await live({ silenceMsMax: null }, "BTC");
    const socket = only(transport);
    for (let second = 0; second < 50; second++) {
      await timers.advance(1_000);
      socket.receive({ channel: "pong" });
    }
    session.want(plan(["ETH"]));
    await timers.advance(1_000);
    expect(coins(socket)).toEqual(["BTC", "ETH"]);
    expect(session.state).toBe("live");
  });

  it("counts what it does not know and what it cannot read, and stays live", async () => {
    const { session, transport, log } = await live("BTC");
    only(transport).receive("Websocket connection established.");
    only(transport).receive({ channel: "newThing", data: 1 });
    only(transport).receive({
      channel: "l2Book",
      data: { coin: "BTC", time: 1, levels: [[], [{ px: "x" }]] },
    });

    expect(log.slice(1).map((line) => line.slice(0, 8))).toEqual(["rejected", "rejected", "rejected"]);
    expect(session.state).toBe("live");
  });

  it("follows what is wanted: unsubscribes the old, subscribes the new", async () => {
    const { session, timers, transport } = await live("BTC", "ETH");
    session.want(plan(["ETH", "SOL"]));
    await timers.advance(0);

    const socket = only(transport);
    expect(coins(socket)).toEqual(["BTC", "ETH", "SOL"]);
    expect(socket.sent.filter((frame) => frame["method"] === "unsubscribe")).toMatchObject([
      { subscription: { coin: "BTC" } },
    ]);
  });

  it("stays closed once closed", async () => {
    const { session, timers, transport, log } = await live("BTC");
    session.close();
    await timers.advance(120_000);
    expect(session.state).toBe("closed");
    expect(transport.sockets).toHaveLength(1);
    expect(log).toEqual(["restored"]);
  });
});

/** Plays an exchange that drops the socket at the name BAD, after answering what came before it. */
async function serve(socket: ScriptedSocket | undefined, timers: ManualTimers): Promise<void> {
  if (socket === undefined) return;
  socket.open();
  for (let done = 0; socket.isOpen;) {
    await timers.advance(10);
    const waiting = socket.subscriptions.slice(done);
    if (waiting.length === 0) return;
    for (const subscription of waiting) {
      if (subscription["coin"] === "BAD") {
        socket.drop();
        return;
      }
      socket.acknowledge(subscription);
      done++;
    }
  }
}
