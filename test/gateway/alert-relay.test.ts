import { describe, expect, it } from "vitest";
import { AlertRelay } from "../../src/gateway/alert-relay.ts";
import { AlertRelayDesk } from "../../src/gateway/alert-relay-desk.ts";
import type { AlertSocketClient } from "../../src/http/alerts-socket.ts";
import type { SocketConnection } from "../../src/http/client-socket.ts";
import type { AnswerText } from "../../src/http/endpoint.ts";

// Mutants killed by hand: all sockets one number; a closed socket kept, or not told of; an answer or a failure to another
// socket; bytes sent that the next text is written into; connections left open when their thread ends; a throw that ends
// nothing, or is told to nobody.

/** What every answer is written into, as the real writer's are. */
const MEMORY = Buffer.alloc(16);

describe("alerts sockets of another thread", () => {
  it("each have a connection of their own, and hear what it answers", () => {
    const { relay, desk } = relayed();
    const [one, other] = [new Client(), new Client()];
    const first = relay.connect(one);
    const second = relay.connect(other);

    for (const text of ["a", "hush", null]) expect(first.reply(text, 0)).toBeNull();
    expect(second.reply("b", 0)).toBeNull();

    expect(desk.heard).toEqual([
      [0, "a"],
      [0, "hush"],
      [0, null],
      [1, "b"],
    ]);
    expect([one.texts, other.texts]).toEqual([["a!", "null!"], ["b!"]]);
    expect([one.failures, other.failures]).toEqual([0, 0]);
  });

  it("hear what is sent to them, and how they end", () => {
    const { relay, desk } = relayed();
    const clients = [new Client(), new Client()] as const;
    for (const client of clients) relay.connect(client);

    desk.clients[1]!.send([written("now"), "too"]);
    MEMORY.fill(0);
    desk.clients[0]!.fail();

    expect(clients.map(({ texts }) => texts)).toEqual([[], ["now", "too"]]);
    expect(clients.map(({ failures }) => failures)).toEqual([1, 0]);
  });

  it("are told to the desk when they close, and hear nothing more", () => {
    const { relay, desk } = relayed();
    const [left, stays] = [new Client(), new Client()];
    const connection = relay.connect(left);
    relay.connect(stays);

    connection.closed();
    for (const client of desk.clients) client.send(["x"]);

    expect(desk.closed).toEqual([0]);
    expect([left.texts, stays.texts]).toEqual([[], ["x"]]);
    // Nothing is kept of it: what the thread still says of it is nobody's.
    desk.thread.accept({ type: "alert.received", socket: 1, text: "late" });
    expect(desk.heard).toEqual([]);
  });

  it("are closed on the desk with the thread that had them, once", () => {
    const { relay, desk } = relayed();
    relay.connect(new Client()).closed();
    for (let i = 0; i < 2; i++) relay.connect(new Client());

    desk.thread.closeAll();
    desk.thread.closeAll();

    expect(desk.closed).toEqual([0, 1, 2]);
  });

  it("fail alone when their connection throws, and the cause is told", () => {
    const { relay, desk } = relayed();
    const [thrown, fine] = [new Client(), new Client()];
    const connection = relay.connect(thrown);
    relay.connect(fine);

    connection.reply("throw", 0);

    expect([thrown.failures, fine.failures]).toEqual([1, 0]);
    expect(desk.errors).toEqual([new Error("thrown")]);
  });
});

class Client implements AlertSocketClient {
  readonly texts: string[] = [];
  failures = 0;

  send(texts: readonly AnswerText[]): void {
    this.texts.push(...texts.map((text) => Buffer.from(text as string).toString()));
  }

  fail(): void {
    this.failures += 1;
  }
}

interface Desk {
  readonly thread: AlertRelayDesk;
  readonly clients: AlertSocketClient[];
  /** By connection, in the order in which they were opened. */
  readonly heard: [connection: number, text: string | null][];
  readonly closed: number[];
  readonly errors: unknown[];
}

/** Both ends, what passes between them copied as between threads. */
function relayed(): { readonly relay: AlertRelay; readonly desk: Desk } {
  const desk: Desk = {
    thread: new AlertRelayDesk({
      connect: (client): SocketConnection => {
        const connection = desk.clients.push(client) - 1;
        return {
          reply: (text) => {
            if (text === "throw") throw new Error("thrown");
            desk.heard.push([connection, text]);
            return text === "hush" ? null : written(`${text}!`);
          },
          closed: () => desk.closed.push(connection),
        };
      },
      post: (command) => relay.accept(structuredClone(command)),
      onInternalError: (cause) => desk.errors.push(cause),
    }),
    clients: [],
    heard: [],
    closed: [],
    errors: [],
  };
  const relay = new AlertRelay((event) => desk.thread.accept(structuredClone(event)));
  return { relay, desk };
}

function written(text: string): Uint8Array {
  MEMORY.write(text);
  return MEMORY.subarray(0, text.length);
}
