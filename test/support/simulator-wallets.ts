import type { RunningService } from "./running-service.ts";

/** Addresses of the simulator's wallets by label. */
export async function simulatorWallets(service: RunningService): Promise<ReadonlyMap<string, string>> {
  const response = await fetch(`${service.simulatorUrl}/control/wallets`);
  const wallets = (await response.json()) as readonly { label: string; address: string }[];
  return new Map(wallets.map(({ label, address }) => [label, address]));
}
