import type { ValidateResponse } from "../../src/contracts/generated/types.ts";
import { addressOf } from "./accounts.ts";
import { BENCH_HEADERS, type BenchService } from "./child-process.ts";
import { orderOf } from "./orders.ts";

const AT_A_TIME = 32;
/** Beside the simulator's own addresses: each is an account that the service must fetch and keep. */
const FIRST = 1_000_000;

/** Has the service read and keep so many wallets, as many clients' first requests would. */
export async function requestWallets(service: BenchService, count: number): Promise<void> {
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < count) {
      await askAbout(orderOf(addressOf(FIRST + next++)), service);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, client));
}

/** One order, answered. */
export async function askAbout(body: string, service: BenchService): Promise<ValidateResponse> {
  const init = { method: "POST", headers: BENCH_HEADERS, body };
  const response = await fetch(`${service.url}/v1/validate`, init);
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as ValidateResponse;
}
