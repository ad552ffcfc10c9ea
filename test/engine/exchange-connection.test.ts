import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { ConfigError } from "../../src/config.ts";
import { type ExchangeConnection, openMarket, openWallets } from "../../src/engine/exchange-connection.ts";
import { HyperliquidExchange } from "../../src/exchange/hyperliquid/hyperliquid-exchange.ts";
import { HyperliquidWallets } from "../../src/exchange/hyperliquid/hyperliquid-wallets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

vi.mock("../../src/exchange/hyperliquid/hyperliquid-exchange.ts", { spy: true });
vi.mock("../../src/exchange/hyperliquid/hyperliquid-wallets.ts", { spy: true });

// Mutants killed by hand: all of the weight for both, or a share lost; outages told to nobody; an empty folder played.

const temporary = temporaryFolder();
/** Nothing listens there, and nothing is asked. */
const NETWORK = {
  kind: "network",
  infoUrl: "http://127.0.0.1:9/info",
  wsUrl: "ws://127.0.0.1:9/ws",
  isRealTime: true,
} as const;

describe("openMarket and openWallets", () => {
  it.each([1200, 777])("spend what an address may, %i, together and no more", async (weightPerMinute) => {
    const onOutage = vi.fn();
    const market = await openMarket({ ...NETWORK, weightPerMinute });
    const wallets = await openWallets({ ...NETWORK, weightPerMinute }, onOutage);

    const [ofMarket] = vi.mocked(HyperliquidExchange).mock.lastCall!;
    const [ofWallets] = vi.mocked(HyperliquidWallets).mock.lastCall!;
    const spent = ofMarket.weightPerMinute + ofWallets.weightPerMinute;
    expect([weightPerMinute, weightPerMinute - 1]).toContain(spent);
    expect(ofMarket.weightPerMinute).toBeGreaterThan(ofWallets.weightPerMinute);
    expect(ofWallets.weightPerMinute).toBeGreaterThan(weightPerMinute / 3);
    expect(ofWallets.onOutage).toBe(onOutage);
    await market.close();
    await wallets.close();
  });

  it("refuse a folder that holds nothing to replay, by its name", async () => {
    const connection: ExchangeConnection = { kind: "replay", directory: temporary.path, speedFactor: 1 };

    const opened = openMarket(connection);

    await expect(opened).rejects.toThrow(ConfigError);
    await expect(opened).rejects.toThrow(`names nothing to replay: ${temporary.path} holds neither`);
  });

  it.each(["", `{"at":1,"request":{"type":"metaAndAssetCtxs"},"reply":null}\n`, "not JSON\n"])(
    "refuse a recording from which no assets can be read: %j",
    async (lines) => {
      const name = "hyperliquid-20260101T000000Z-0000.jsonl.gz";
      writeFileSync(join(temporary.path, name), lines === "" ? "" : gzipSync(lines));

      const opened = openMarket({ kind: "replay", directory: temporary.path, speedFactor: 1 });

      await expect(opened).rejects.toThrow(`names nothing to replay: ${temporary.path} holds neither`);
    },
  );

  it("refuse recorded market data of which a file is damaged, by its name", async () => {
    for (const folder of ["books", "exchange_fixtures"]) mkdirSync(join(temporary.path, folder));
    const path = join(temporary.path, "exchange_fixtures", "metaAndAssetCtxs_20260101.json");
    writeFileSync(path, "{");

    const opened = openMarket({ kind: "replay", directory: temporary.path, speedFactor: 1 });

    await expect(opened).rejects.toThrow(ConfigError);
    await expect(opened).rejects.toThrow(`names what cannot be replayed: ${path} cannot be read`);
  });
});
