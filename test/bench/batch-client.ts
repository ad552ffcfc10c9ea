import type { AssetsResponse } from "../../src/contracts/generated/types.ts";

/**
 * A client in a process of its own that sends one batch after the other, of as many assets as trades, and ends with the
 * first that is refused. Prints the address when the first is answered. Arguments: address, key, wallet, trades.
 */
const [url, key, wallet, count] = process.argv.slice(2) as [string, string, string, string];
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
const { assets } = (await (await fetch(`${url}/v1/assets`, { headers })).json()) as AssetsResponse;
const trades = assets.slice(0, Number(count)).map(({ name }, i) => ({
  asset: name,
  action: i % 2 === 0 ? "long" : "short",
  size: 5_000,
  leverage: 2,
}));
const request = { method: "POST", headers, body: JSON.stringify({ wallet, trades }) };
for (let sent = 0; ; sent++) {
  const response = await fetch(`${url}/v1/validate/batch`, request);
  if (!response.ok) throw new Error(`a batch was answered with ${response.status}`);
  await response.arrayBuffer();
  if (sent === 0) console.log(url);
}
