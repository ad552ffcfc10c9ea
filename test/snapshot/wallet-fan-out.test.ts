import { describe, expect, it } from "vitest";
import type { WalletState } from "../../src/domain/account.ts";
import { type WalletAddress, walletAddressOf } from "../../src/domain/ids.ts";
import { ok } from "../../src/domain/result.ts";
import type { WalletSource } from "../../src/domain/wallet-source.ts";
import { WalletFanOut, type WalletNews } from "../../src/snapshot/wallet-fan-out.ts";
import { NOW_MS, WALLET, walletState } from "../support/builders.ts";

const STATE: WalletState = {
  ...walletState(),
  wallet: WALLET,
  exchangeTimeMs: NOW_MS - 3_000,
  arrivedAtMs: NOW_MS,
};

describe("WalletFanOut", () => {
  it("tells others a state as known since it arrived here, fetched or streamed", async () => {
    const { fanOut, news, stream } = opened();
    const told: WalletNews = { type: "wallet.read", state: STATE, knownAtMs: NOW_MS };

    await fanOut.fetchWallet(WALLET);
    expect(news).toEqual([told]);
    fanOut.watchWallets([WALLET], () => undefined);
    stream(STATE);

    expect(news).toEqual([told, told]);
  });

  it("does not tell of a fetch that a stream has overtaken: the stream would vouch for it on a thread that came late", async () => {
    const { fanOut, news, stream } = opened();
    const newer = { ...STATE, exchangeTimeMs: STATE.exchangeTimeMs + 1 };
    fanOut.watchWallets([WALLET], () => undefined);
    const fetching = fanOut.fetchWallet(WALLET);
    stream(newer);
    fanOut.watchWallets([WALLET], () => undefined);

    expect(await fetching).toEqual(ok(STATE));
    expect(news).toEqual([{ type: "wallet.read", state: newer, knownAtMs: NOW_MS }]);

    // What is not watched any more is vouched for by no stream.
    fanOut.watchWallets([], () => undefined);
    await fanOut.fetchWallet(WALLET);
    expect(news).toHaveLength(2);
  });

  it("confirms each wallet that is watched now as of its own time, and says nothing of nothing", () => {
    const { fanOut, news, confirmed } = opened();
    const [first, second, third] = ["1", "2", "3"].map((digit) => walletAddressOf(`0x${digit.repeat(40)}`)!);
    fanOut.tellConfirmed();
    fanOut.watchWallets([first!, second!, third!], () => undefined);
    fanOut.tellConfirmed();
    expect(news).toEqual([]);

    confirmed.set(first!, NOW_MS - 2).set(third!, NOW_MS - 1);
    fanOut.tellConfirmed();
    fanOut.watchWallets([third!], () => undefined);
    fanOut.tellConfirmed();

    const told = (...knownAtMs: [WalletAddress, number][]): WalletNews => ({
      type: "wallets.confirmed",
      knownAtMs: new Map(knownAtMs),
    });
    expect(news).toEqual([told([first!, NOW_MS - 2], [third!, NOW_MS - 1]), told([third!, NOW_MS - 1])]);
  });

  it("closes what it reads from", async () => {
    const { fanOut, closed } = opened();

    await fanOut.close();

    expect(closed()).toBe(1);
  });
});

function opened(): {
  readonly fanOut: WalletFanOut;
  readonly news: readonly WalletNews[];
  readonly stream: (state: WalletState) => void;
  /** What the source has confirmed, and when. */
  readonly confirmed: Map<WalletAddress, number>;
  readonly closed: () => number;
} {
  const news: WalletNews[] = [];
  let onState: (state: WalletState) => void = () => undefined;
  const confirmed = new Map<WalletAddress, number>();
  let closes = 0;
  const source: WalletSource = {
    fetchWallet: () => Promise.resolve(ok(STATE)),
    watchWallets: (_wallets, listener) => (onState = listener),
    confirmedAtMs: (wallet) => confirmed.get(wallet) ?? null,
    close: () => {
      closes++;
      return Promise.resolve();
    },
  };
  const fanOut = new WalletFanOut(source, (told) => news.push(told));
  return { fanOut, news, stream: (state) => onState(state), confirmed, closed: () => closes };
}
