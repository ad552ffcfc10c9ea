import type { WalletFanOut, WalletNews } from "../snapshot/wallet-fan-out.ts";
import { GatewayHost, type GatewayHostDeps } from "./gateway-host.ts";
import type { GatewayThreadData } from "./gateway-thread.ts";

/** How often the other threads hear that what a stream brought is still so. */
const TELL_CONFIRMED_EVERY_MS = 500;

export interface GatewayThreadsDeps extends Omit<GatewayHostDeps, "data"> {
  readonly data: Pick<GatewayThreadData, "config" | "engineVersion">;
  /** One place more than there are threads: the first is the main thread's. */
  readonly busyMemory: SharedArrayBuffer;
}

/** All gateway threads, and what all of them are told: keys that changed, wallets that came. */
export class GatewayThreads {
  #hosts: readonly GatewayHost[] = [];
  #telling: NodeJS.Timeout | undefined;

  /** Resolves when every thread is handed connections. */
  async start(count: number, walletSource: WalletFanOut, deps: GatewayThreadsDeps): Promise<void> {
    const { busyMemory: memory, data } = deps;
    this.#hosts = Array.from(
      { length: count },
      (_, i) => new GatewayHost({ ...deps, data: { ...data, busyThreads: { memory, place: i + 1 } } }),
    );
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

  #tellKeys({ keys }: GatewayThreadsDeps): void {
    const { issued } = keys.shared;
    for (const host of this.#hosts) host.tell({ type: "keys", issued });
  }
}
