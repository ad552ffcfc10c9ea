import type { WalletFanOut, WalletNews } from "../snapshot/wallet-fan-out.ts";
import { GatewayHost, type GatewayHostDeps } from "./gateway-host.ts";

/** How often the other threads hear that what a stream brought is still so. */
const TELL_CONFIRMED_EVERY_MS = 500;

/** All gateway threads, and what all of them are told: keys that changed, wallets that came. */
export class GatewayThreads {
  #hosts: readonly GatewayHost[] = [];
  #telling: NodeJS.Timeout | undefined;

  /** Resolves when every thread is handed connections. */
  async start(count: number, walletSource: WalletFanOut, deps: GatewayHostDeps): Promise<void> {
    this.#hosts = Array.from({ length: count }, () => new GatewayHost(deps));
    this.#telling = setInterval(() => walletSource.tellConfirmed(), TELL_CONFIRMED_EVERY_MS);
    deps.keys.onReplaced(() => this.#tellKeys(deps));
    await Promise.all(this.#hosts.map(({ started }) => started));
  }

  tellWallet(news: WalletNews): void {
    for (const host of this.#hosts) host.tell({ type: "wallet.news", news });
  }

  async stop(): Promise<void> {
    clearInterval(this.#telling);
    await Promise.all(this.#hosts.map((host) => host.stop()));
  }

  #tellKeys({ keys }: GatewayHostDeps): void {
    const { issued } = keys.shared;
    for (const host of this.#hosts) host.tell({ type: "keys", issued });
  }
}
