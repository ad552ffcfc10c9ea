import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ValidateResponse } from "../../../src/contracts/generated/types.ts";
import type { WalletState } from "../../../src/domain/account.ts";
import type { ExchangeFailure } from "../../../src/domain/errors.ts";
import { parsePerpAccount } from "../../../src/exchange/hyperliquid/parse-account.ts";
import { assembleWallet } from "../../../src/exchange/hyperliquid/wallet-assembly.ts";
import { handleValidate } from "../../../src/handlers/validate.ts";
import { assertMatchesSchema } from "../../support/closed-schema.ts";
import { BTC, ETH, WALLET } from "../../support/builders.ts";
import { handlerDeps } from "../../support/handler-deps.ts";
import { assetView } from "../../support/market.ts";
import { readValidate } from "../../support/read-answer.ts";

// 20,000 of equity at the marks: a cross long and an isolated short.
const BTC_USD = assetView(BTC).context.markPrice;
const ETH_USD = assetView(ETH).context.markPrice;

type Fields = Record<string, unknown>;

interface Said {
  state?: Fields;
  cross?: Fields;
  long?: Fields;
  short?: Fields;
  more?: readonly Fields[];
}

describe("an account that contradicts itself", () => {
  it.each<[string, Said]>([
    ["nothing", {}],
    ["a profit that is not told", { long: { unrealizedPnl: undefined } }],
    ["a leverage above what the asset has now", { long: { leverage: { type: "cross", value: 50 } } }],
    ["margins above its value", { cross: { totalMarginUsed: "999999.0" } }],
    ["a row of a position that is closed", { more: [positionOf(BTC, "0.0", { entryPx: null })] }],
    [
      "the maintenance of the strictest tier that its leverage was recorded with",
      { long: { maxLeverage: 40 }, state: { crossMaintenanceMarginUsed: String(BTC_USD / 40) } },
    ],
    ["a highest leverage that is no number", { long: { maxLeverage: null } }],
    ["a liquidation price on the wrong side", { long: { liquidationPx: "999999.0" } }],
  ])("is none with %s", async (_what, said) => {
    const account = accountOf(said);

    expect(account).toMatchObject({ isCollateralKnown: true, crossCashUsd: 20_000 - BTC_USD });
    expect((await validated("long", account)).flags).not.toContain("collateral_unknown");
  });

  it.each<[string, Said]>([
    ["more cash than its value leaves", { cross: { totalRawUsd: "9999999.0" } }],
    ["a value above its cash and positions", { cross: { accountValue: "9999999.0" } }],
    ["a notional that is not in its value", { long: { positionValue: "1.0" } }],
    ["a size that its profit is not of", { long: { szi: "20.0" } }],
    [
      "more maintenance than half of its notional",
      { state: { crossMaintenanceMarginUsed: String(0.6 * BTC_USD) } },
    ],
    [
      "more maintenance than the known rules ask for at its highest leverage",
      { long: { maxLeverage: 40 }, state: { crossMaintenanceMarginUsed: String(BTC_USD / 39) } },
    ],
    ["more maintenance than notional", { state: { crossMaintenanceMarginUsed: "9999999.0" } }],
    ["isolated cash above its margin", { short: { leverage: isolated("9999999.0") } }],
    ["a margin above its isolated cash", { short: { marginUsed: "9999999.0" } }],
    ["a negative margin with cash behind it", { short: { marginUsed: "-500.0" } }],
  ])("with %s is flagged, at the lower of the two", async (_what, said) => {
    const account = accountOf(said);

    const [opened, closed] = [await validated("long", account), await validated("close", account)];

    expect(account).toMatchObject({ isCollateralKnown: false });
    expect("code" in account ? Infinity : account.crossCashUsd).toBeLessThanOrEqual(20_000);
    expect(opened.flags).toContain("collateral_unknown");
    expect(opened.recommendation).not.toBe("proceed");
    expect(closed.recommendation).toBe("proceed");
  });

  it.each<[string, Said]>([
    ["two positions in an asset", { more: [positionOf(BTC, "-3.0", {})] }],
    ["a position of nothing", { long: { szi: "0.0" } }],
    ["a size beyond the world", { long: { szi: "1e300" } }],
    ["a size below any step", { long: { szi: "1e-300" } }],
    ["a leverage that nobody offers", { long: { leverage: { type: "cross", value: 9e15 } } }],
    ["cash beyond the world", { cross: { totalRawUsd: "1e300", accountValue: "1e300" } }],
    ["an entry price beyond the world", { long: { entryPx: "1e20" } }],
    ["a negative maintenance", { state: { crossMaintenanceMarginUsed: "-1.0" } }],
    ["no value", { cross: { accountValue: undefined } }],
  ])("with %s is not believed, and an exit passes", async (_what, said) => {
    const account = accountOf(said);

    expect(account).toMatchObject({ code: "unparseable" });
    expect((await validated("close", account)).recommendation).toBe("proceed");
  });

  it("is answered in finite numbers whatever its amounts, and an exit passes", async () => {
    const anyAmount = fc.double({ noNaN: true, noDefaultInfinity: true });
    const usualAmount = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    const fields = (...names: string[]): fc.Arbitrary<Fields> => {
      const amount = fc.oneof(anyAmount, usualAmount).map(String);
      return fc.record(Object.fromEntries(names.map((name) => [name, amount])), { requiredKeys: [] });
    };
    const changes = fields("szi", "entryPx", "positionValue", "unrealizedPnl", "marginUsed", "liquidationPx");
    const said = fc.record({
      cross: fields("totalRawUsd", "accountValue"),
      state: fields("crossMaintenanceMarginUsed"),
      long: changes,
      short: changes,
    });
    await fc.assert(
      fc.asyncProperty(said, fc.constantFrom("long", "close"), async (amounts, action) => {
        const account = accountOf(amounts);
        if (action === "long" && "code" in account) return;
        const answer = await validated(action, account);

        assertMatchesSchema("validate-response", answer);
        if (action === "close") expect(answer.recommendation).toBe("proceed");
      }),
    );
  });
});

function accountOf({ state, cross, long, short, more = [] }: Said): WalletState | ExchangeFailure {
  const parsed = parsePerpAccount({
    crossMarginSummary: { accountValue: "20000.0", totalRawUsd: String(20_000 - BTC_USD), ...cross },
    crossMaintenanceMarginUsed: String(BTC_USD / 80),
    assetPositions: [
      positionOf(BTC, "1.0", long ?? {}),
      positionOf(ETH, "-1.0", {
        leverage: isolated(String(ETH_USD * 1.2)),
        marginUsed: String(ETH_USD * 0.2),
        ...short,
      }),
      ...more,
    ].map((position) => ({ type: "oneWay", position })),
    time: 1,
    ...state,
  });
  if (!parsed.ok) return { code: "unparseable", detail: parsed.error.path };
  const spot = { isEmpty: true, availableAfterMaintenanceUsd: null };
  const rest = { wallet: WALLET, takerFeeFraction: null, arrivedAtMs: 1 };
  return assembleWallet({ ...rest, perp: parsed.value, spot, mode: "standard" });
}

function positionOf(ticker: typeof BTC, szi: string, fields: Fields): Fields {
  const markPrice = ticker === BTC ? BTC_USD : ETH_USD;
  return {
    coin: ticker,
    szi,
    leverage: { type: "cross", value: 10 },
    entryPx: String(markPrice),
    positionValue: String(markPrice * Math.abs(Number(szi))),
    unrealizedPnl: "0.0",
    liquidationPx: String(markPrice * 0.9),
    marginUsed: "0.0",
    ...fields,
  };
}

function isolated(rawUsd: string): Fields {
  return { type: "isolated", value: 5, rawUsd };
}

async function validated(
  action: "long" | "close",
  account: WalletState | ExchangeFailure,
): Promise<ValidateResponse> {
  const body = { asset: BTC, action, size: 1_000, wallet: WALLET, leverage: 5 };
  const answer = await handleValidate(body, "id", handlerDeps({ account }));
  if (!answer.ok) throw new Error(answer.error.code);
  return readValidate(answer.value);
}
