import type { WalletFanOut, WalletNews } from "../snapshot/wallet-fan-out.ts";
import { GatewayHost, type GatewayHostDeps } from "./gateway-host.ts";
import type { GatewayThreadData } from "./gateway-thread.ts";

/** How often the other threads hear that what a stream brought is still so. */
const TELL_CONFIRMED_EVERY_MS = 500;
/**
 * A thread starts within a second or two, on a busy machine within some; one that fails is tried again after 1, 2, 4 s and
 * so on.
 */
const START_MS_MAX = 60_000;

/** Not every gateway thread could be started: the service is not what it was configured to be. */
export class GatewayStartError extends Error {
  override readonly name = "GatewayStartError";
}

export interface GatewayThreadsDeps extends Omit<GatewayHostDeps, "data"> {
  readonly config: GatewayThreadData["config"];
  /** One place more than there are threads: the first is the main thread's. */
  readonly busyMemory: SharedArrayBuffer;
}

/** All gateway threads, and what all of them are told: keys that changed, wallets that came. */
export class GatewayThreads {
  #hosts: readonly GatewayHost[] = [];
  #telling: NodeJS.Timeout | undefined;
  #starting: NodeJS.Timeout | undefined;

  /** Resolves when every thread is handed connections. Errors: GatewayStartError when one is not within a minute. */
  async start(count: number, walletSource: WalletFanOut, deps: GatewayThreadsDeps): Promise<void> {
    const { busyMemory: memory, config } = deps;
    this.#hosts = Array.from(
      { length: count },
      (_, i) => new GatewayHost({ ...deps, data: { config, busyThreads: { memory, place: i + 1 } } }),
    );
    this.#telling = setInterval(() => walletSource.tellConfirmed(), TELL_CONFIRMED_EVERY_MS);
    deps.keys.onReplaced(() => this.#tellKeys(deps));
    await this.#started();
  }

  tellWallet(news: WalletNews): void {
    for (const host of this.#hosts) host.tell({ type: "wallet.news", news });
  }

  /** Ends all when what was asked of any is answered, and the alert subscribers of all were told what that found. */
  async stop(alertsTold: () => Promise<void>): Promise<void> {
    clearInterval(this.#telling);
    clearTimeout(this.#starting);
    void Promise.all(this.#hosts.map((host) => host.drained))
      .then(alertsTold)
      .then(() => this.#hosts.forEach((host) => host.tell({ type: "alerts.told" })));
    await Promise.all(this.#hosts.map((host) => host.stop()));
  }

  #started(): Promise<void> {
    const waitedFor = new Set(this.#hosts);
    return new Promise((resolve, reject) => {
      this.#starting = setTimeout(() => {
        const counts = `${waitedFor.size} of ${this.#hosts.length} gateway threads`;
        reject(new GatewayStartError(`${counts} have not started within ${START_MS_MAX / 1_000} s`));
      }, START_MS_MAX);
      for (const host of this.#hosts) {
        void host.started.then(() => {
          waitedFor.delete(host);
          if (waitedFor.size > 0) return;
          clearTimeout(this.#starting);
          resolve();
        });
      }
    });
  }

  #tellKeys({ keys }: GatewayThreadsDeps): void {
    const { issued } = keys.shared;
    for (const host of this.#hosts) host.tell({ type: "keys", issued });
  }
}
