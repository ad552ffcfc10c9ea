import { afterEach, describe, expect, it } from "vitest";
import { type WalletAddress, walletAddressOf } from "../../../src/domain/ids.ts";
import { HyperliquidWallets } from "../../../src/exchange/hyperliquid/hyperliquid-wallets.ts";
import { NetworkTransport } from "../../../src/exchange/hyperliquid/network-transport.ts";
import { TIMER_MS_MAX } from "../../../src/exchange/hyperliquid/timers.ts";
import type { HyperliquidTransport } from "../../../src/exchange/hyperliquid/transport.ts";
import { type RunningSimulator, startSimulator } from "../../../src/simulator/simulator.ts";
import { WALLET_STORE_DEFAULTS, WalletStore } from "../../../src/snapshot/wallet-store.ts";
import { ManualTimers } from "../../support/manual-timers.ts";

// Mutants killed by hand: the budget not asked, or waited for too long; calls that cost nothing; every caller fetches, also
// while the first fetch is under way; one user too many streamed.

const WEIGHT_PER_MINUTE = 1_200;
const USERS_MAX = 10;
const STEP_MS = 100;
/** How often a stream may pass from one wallet to another. */
const PERIOD_MS = 5_000;

/**
 * The store over the real adapter against an exchange that enforces the real limits, however many wallets come. All read
 * one clock, which stands while a request is on its way: how fast the machine is does not matter.
 */
describe("wallets in their thousands", () => {
  let simulator: RunningSimulator | undefined;
  let store: WalletStore | undefined;

  afterEach(async () => {
    await store?.close();
    await simulator?.stop();
    simulator = store = undefined;
  });

  it("never spend more weight than the exchange allows, and each is answered or refused in time", async () => {
    const { wallets, traffic, timers } = await running();
    const asked = Array.from({ length: 3_000 }, (_, n) => walletNumber(Math.floor(n / 2)));
    const askedAtMs = timers.nowMs();
    const waitsMs: number[] = [];
    const loads = asked.map(async (wallet) => {
      const result = await wallets.load(wallet);
      waitsMs.push(timers.nowMs() - askedAtMs);
      return result;
    });

    while (waitsMs.length < asked.length) {
      await traffic.quiet();
      await timers.advance(STEP_MS);
    }
    const results = await Promise.all(loads);

    expect(Math.max(...waitsMs)).toBeLessThanOrEqual(WALLET_STORE_DEFAULTS.timeoutMs);
    const answered = results.filter(({ ok }) => ok).length;
    expect(answered).toBeGreaterThan(0);
    const failures = new Set(results.flatMap((result) => (result.ok ? [] : [result.error.code])));
    expect([...failures]).toEqual(["rate_limited"]);
    // The exchange itself refused nothing, and nobody was read twice.
    expect(traffic.refusals).toEqual([]);
    expect(traffic.weight).toBeLessThanOrEqual(WEIGHT_PER_MINUTE);
    const states = traffic.calls.filter(({ type }) => type === "clearinghouseState").map(({ user }) => user);
    expect(new Set(states).size).toBe(states.length);
  }, 30_000);

  it("never follow more users than the exchange allows, whichever are hot", async () => {
    const { wallets, traffic, timers } = await running();

    // Each round other wallets are by far the hottest; they are streamed from the next round's first call on.
    for (let round = 0; round < 4; round++) {
      for (let n = 0; n < 30; n++) {
        const uses = Math.floor(n / USERS_MAX) === round ? 30 * 3 ** round : 1;
        for (let use = 0; use < uses; use++) wallets.peek(walletNumber(n), timers.nowMs());
      }
      if (round > 0) await traffic.following(hottestOf(round - 1));
      await traffic.quiet();
      await timers.advance(PERIOD_MS);
    }

    expect(traffic.subscribedUsers).toBe(3 * USERS_MAX);
    expect(traffic.usersMax).toBe(USERS_MAX);
    expect(traffic.complaints).toEqual([]);
  }, 60_000);

  async function running(): Promise<{
    readonly wallets: WalletStore;
    readonly traffic: Traffic;
    readonly timers: ManualTimers;
  }> {
    const timers = new ManualTimers();
    const clock = { nowMs: () => timers.nowMs() };
    simulator = await startSimulator({
      host: "127.0.0.1",
      port: 0,
      seed: 1,
      speedFactor: 1,
      control: false,
      assetCount: 3,
      historyHours: 24,
      clock,
      limits: { weightPerMinute: WEIGHT_PER_MINUTE, users: USERS_MAX },
    });
    const network = new NetworkTransport({ infoUrl: simulator.infoUrl, wsUrl: simulator.wsUrl });
    const traffic = new Traffic(network);
    const source = new HyperliquidWallets({ transport: traffic, weightPerMinute: WEIGHT_PER_MINUTE, timers });
    // The store's own limit is of the machine's time: here the adapter has to keep to it unaided.
    store = new WalletStore({
      ...WALLET_STORE_DEFAULTS,
      timeoutMs: TIMER_MS_MAX,
      source,
      clock,
      steadyClock: clock,
    });
    return { wallets: store, traffic, timers };
  }
});

const WEIGHT_OF: Readonly<Record<string, number>> = {
  clearinghouseState: 2,
  spotClearinghouseState: 2,
  userAbstraction: 20,
  userFees: 20,
  userRole: 60,
};

/** The network, and what went over it. */
class Traffic implements HyperliquidTransport {
  readonly calls: { readonly type: string; readonly user: unknown }[] = [];
  readonly refusals: string[] = [];
  readonly complaints: string[] = [];
  usersMax = 0;
  readonly #everyUser = new Set<string>();
  readonly #network: NetworkTransport;
  readonly #users = new Set<string>();
  /** Of every user that is followed, how many of its channels the exchange has acknowledged. */
  readonly #acknowledged = new Map<string, number>();
  #onAcknowledged: () => void = () => undefined;
  #underWay = 0;
  #onReply: () => void = () => undefined;

  constructor(network: NetworkTransport) {
    this.#network = network;
  }

  get subscribedUsers(): number {
    return this.#everyUser.size;
  }

  get weight(): number {
    return this.calls.reduce((sum, { type }) => sum + WEIGHT_OF[type]!, 0);
  }

  readonly postInfo: HyperliquidTransport["postInfo"] = async (body, signal) => {
    this.calls.push({ type: body.type, user: body["user"] });
    this.#underWay++;
    const reply = await this.#network.postInfo(body, signal);
    this.#underWay--;
    this.#onReply();
    if (!reply.ok && reply.error.code === "rate_limited") this.refusals.push(body.type);
    return reply;
  };

  readonly openSocket: HyperliquidTransport["openSocket"] = (handlers) => {
    const socket = this.#network.openSocket({
      ...handlers,
      onText: (text) => {
        const { channel, data } = JSON.parse(text) as { channel: string; data: SubscriptionMessage };
        if (channel === "error") this.complaints.push(text);
        if (channel === "subscriptionResponse") this.#acknowledge(data);
        handlers.onText(text);
      },
    });
    return {
      terminate: () => socket.terminate(),
      send: (text) => {
        const { method, subscription } = JSON.parse(text) as Partial<SubscriptionMessage>;
        if (subscription !== undefined) {
          if (method === "subscribe") {
            this.#users.add(subscription.user);
            this.#everyUser.add(subscription.user);
          } else this.#users.delete(subscription.user);
          this.usersMax = Math.max(this.usersMax, this.#users.size);
        }
        socket.send(text);
      },
    };
  };

  close(): Promise<void> {
    return this.#network.close();
  }

  /** Resolves when no request is on its way. */
  async quiet(): Promise<void> {
    while (this.#underWay > 0) await new Promise<void>((resolve) => (this.#onReply = resolve));
  }

  /** Resolves when the exchange has acknowledged both channels of these users, and follows no other. */
  async following(users: readonly string[]): Promise<void> {
    const areFollowed = (): boolean =>
      this.#acknowledged.size === users.length && users.every((user) => this.#acknowledged.get(user) === 2);
    while (!areFollowed()) await new Promise<void>((resolve) => (this.#onAcknowledged = resolve));
  }

  #acknowledge({ method, subscription: { user } }: SubscriptionMessage): void {
    const channels = (this.#acknowledged.get(user) ?? 0) + (method === "subscribe" ? 1 : -1);
    if (channels === 0) this.#acknowledged.delete(user);
    else this.#acknowledged.set(user, channels);
    this.#onAcknowledged();
  }
}

interface SubscriptionMessage {
  readonly method: string;
  readonly subscription: { readonly user: string };
}

/** The wallets that are used most in a round. */
function hottestOf(round: number): readonly WalletAddress[] {
  return Array.from({ length: USERS_MAX }, (_, i) => walletNumber(round * USERS_MAX + i));
}

function walletNumber(n: number): WalletAddress {
  return walletAddressOf(`0x${(0xabc000 + n).toString(16).padStart(40, "0")}`)!;
}
