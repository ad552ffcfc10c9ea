import { addressOf } from "./accounts.ts";
import { BENCH_HEADERS, type BenchService } from "./child-process.ts";

const AT_A_TIME = 32;
/** Beside the simulator's own addresses: each is an account that the service must fetch and keep. */
const FIRST = 1_000_000;

/** Has the service read and keep so many wallets, as many clients' first requests would. */
export async function requestWallets(service: BenchService, count: number): Promise<void> {
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < count) {
      const wallet = addressOf(FIRST + next++);
      const body = JSON.stringify({ asset: "ETH", action: "long", size: 25_000, leverage: 10, wallet });
      const response = await fetch(`${service.url}/v1/validate`, {
        method: "POST",
        headers: BENCH_HEADERS,
        body,
      });
      if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, client));
}
