import { expect, it } from "vitest";
import { readSubscription } from "../../src/simulator/feed-subscriptions.ts";
import { Scenarios } from "../../src/simulator/scenarios.ts";
import { SimulatedMarket } from "../../src/simulator/simulated-market.ts";
import { START_MS } from "./support/manual-exchange.ts";

const market = new SimulatedMarket(7, START_MS, new Scenarios(), { assetCount: 1, historyHours: 48 });
const USER = "0x5EED000000000000000000000000000000000003";
const user = USER.toLowerCase();

it.each<[body: unknown, read: unknown]>([
  [
    { type: "userFills", user: USER, aggregateByTime: true },
    { type: "userFills", user, aggregateByTime: true },
  ],
  [
    { type: "userFills", user: USER, aggregateByTime: 1 },
    { type: "userFills", user, aggregateByTime: false },
  ],
  [
    { type: "userEvents", user: USER, coin: "BTC" },
    { type: "userEvents", user },
  ],
  [
    { type: "spotState", user: USER },
    { type: "spotState", user },
  ],
  [
    { type: "clearinghouseState", user: USER, dex: "" },
    { type: "clearinghouseState", user, dex: "" },
  ],
  [
    { type: "activeAssetData", user: USER, coin: "BTC" },
    { type: "activeAssetData", user, coin: "BTC" },
  ],
  [{ type: "allMids", dex: "" }, { type: "allMids" }],
  [
    { type: "candle", coin: "BTC", interval: "3d" },
    { type: "candle", coin: "BTC", interval: "3d" },
  ],
  [{ type: "clearinghouseState", user: USER, dex: "xyz" }, "drop"],
  [{ type: "activeAssetData", user: USER, coin: "NOPE" }, "drop"],
  [{ type: "allMids", dex: "xyz" }, "drop"],
  [{ type: "candle", coin: "NOPE", interval: "1h" }, "drop"],
  [{ type: "candle", coin: "BTC", interval: "7m" }, "invalid"],
  [{ type: "candle", coin: "BTC", interval: 60 }, "unreadable"],
  [{ type: "clearinghouseState", user: USER, dex: 1 }, "unreadable"],
  [{ type: "allMids", dex: 1 }, "unreadable"],
  [{ type: "activeAssetData", user: USER }, "unreadable"],
  [{ type: "userEvents", user: "0x5eed" }, "unreadable"],
  [{ type: "userEvents" }, "unreadable"],
  [{ type: "nothing", user: USER }, "unreadable"],
  [null, "unreadable"],
])("%j is read as %j", (body, read) => {
  const reading = readSubscription(body, market);
  expect(reading.kind === "accepted" ? reading.subscription : reading.kind).toEqual(read);
});
