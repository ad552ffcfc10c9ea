import { describe, expect, it } from "vitest";
import type { WalletState } from "../../src/domain/account.ts";
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
  readonly closed: () => number;
} {
  const news: WalletNews[] = [];
  let onState: (state: WalletState) => void = () => undefined;
  let closes = 0;
  const source: WalletSource = {
    fetchWallet: () => Promise.resolve(ok(STATE)),
    watchWallets: (_wallets, listener) => (onState = listener),
    confirmedAtMs: () => null,
    close: () => {
      closes++;
      return Promise.resolve();
    },
  };
  const fanOut = new WalletFanOut(source, (told) => news.push(told));
  return { fanOut, news, stream: (state) => onState(state), closed: () => closes };
}
