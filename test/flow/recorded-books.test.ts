import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ValidateResponse } from "../../src/contracts/generated/types.ts";
import { tickerOf } from "../../src/domain/ids.ts";
import { type CandleStore, openCandleStore } from "../../src/ingest/candle-store.ts";
import { startService, untilReady, type RunningService } from "../support/running-service.ts";
import { hasSharedData, SHARED_DATA_DIR, sharedJson, sharedText } from "../support/shared-data.ts";

const EMPTY_WALLET = "0x00000000000000000000000000000000000000ee";
const ASSETS = ["BTC", "ETH", "SOL"];
/** The replay answers every wallet with the recorded fees: 4.5 bps less a referral discount of 4 %. */
const FEE_BPS = 4.32;

/** An hour after the recorded books. */
const BAR_TO_COME = {
  openTimeMs: Date.UTC(2025, 8, 5),
  open: 300_001,
  high: 300_001,
  low: 300_001,
  close: 300_001,
  volumeBase: 1,
};

/**
 * The whole program on recorded books, beside a calculation by hand from the recorded text: the fill walked level by
 * level, the liquidation price of a position whose margin is just its initial margin, the funding rate as recorded.
 */
describe.skipIf(!hasSharedData)("the service on recorded traffic", () => {
  let service: RunningService;
  let dataDir: string;
  let candleStore: CandleStore;

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "breakwater-replay-"));
    mkdirSync(join(dataDir, "replay-state"));
    candleStore = openCandleStore(join(dataDir, "replay-state"));
    // As a former replay leaves them, which stood still after its end.
    await candleStore.keepBars(tickerOf("BTC"), [BAR_TO_COME]);
    // 35 minutes in two seconds; then the last books are kept alive.
    service = await startService({
      BREAKWATER_EXCHANGE: `replay:${SHARED_DATA_DIR}`,
      BREAKWATER_REPLAY_SPEED: "1000",
      BREAKWATER_DATA_DIR: dataDir,
    });
    await untilReady(service);
    for (const asset of ASSETS) await untilPlayed(asset);
  }, 150_000);

  afterAll(async () => {
    await service.stop();
    rmSync(dataDir, { recursive: true });
  });

  it("knows nothing of the hours to come, also where it was played before", async () => {
    const { values, length } = await candleStore.loadBars(tickerOf("BTC"));

    expect(length).toBeGreaterThan(0);
    expect(values).not.toContain(BAR_TO_COME.close);
  });

  for (const asset of ASSETS) {
    for (const action of ["long", "short"] as const) {
      for (const size of [1_000, 50_000, 250_000]) {
        it(`prices ${action} ${size} USD of ${asset} as a walk of the recorded book does`, async () => {
          const leverage = 10;
          const book = lastBook(asset);
          const { funding, maxLeverage } = recordedFacts(asset);

          const answer = await validated({ asset, action, size, leverage, wallet: EMPTY_WALLET });

          const fillPrice = walkedFill(action === "long" ? book.asks : book.bids, size);
          const side = action === "long" ? 1 : -1;
          expect(answer.slippage.mid_price).toBe(book.mid);
          expect(answer.slippage.fill_price! / fillPrice).toBeCloseTo(1, 9);
          expect(answer.slippage.bps).toBeCloseTo(((side * (fillPrice - book.mid)) / book.mid) * 10_000, 5);
          expect(answer.funding.funding_rate).toBe(funding);
          expect(answer.funding.agent_pays).toBe(side * funding > 0);
          expect(answer.funding.annualized_pct).toBeCloseTo(funding * 24 * 365 * 100, 8);
          // Equity = notional / leverage: P = mark - side (1/leverage - m) mark / (1 - side m), m = 1/(2 max leverage).
          const maintenance = 1 / (2 * maxLeverage);
          const liquidation =
            answer.meta.mark_price * (1 - (side * (1 / leverage - maintenance)) / (1 - side * maintenance));
          expect(answer.liquidation.price / liquidation).toBeCloseTo(1, 9);
          expect(answer.flags).toContain("insufficient_margin");
          const bps = answer.slippage.bps! + answer.impact.expected_bps + FEE_BPS;
          expect(answer.cost_analysis.total_entry_cost_bps).toBeCloseTo(bps, 6);
        });
      }
    }
  }

  /** The replay goes on after the service is ready. Earlier books have the last one's mid; none its price of a large order. */
  async function untilPlayed(asset: string): Promise<void> {
    const { asks } = lastBook(asset);
    const size = 250_000;
    const lastFillPrice = walkedFill(asks, size);
    const ask = { asset, action: "long", size, leverage: 10, wallet: EMPTY_WALLET };
    const deadline = Date.now() + 60_000;
    for (;;) {
      const response = await service.post("/v1/validate", ask);
      if (response.ok) {
        const { slippage } = (await response.json()) as ValidateResponse;
        if (Math.abs(slippage.fill_price! / lastFillPrice - 1) < 1e-9) return;
      }
      if (Date.now() > deadline) throw new Error(`the replay of ${asset} did not come to its end`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async function validated(body: Readonly<Record<string, unknown>>): Promise<ValidateResponse> {
    const response = await service.post("/v1/validate", body);
    const answer: unknown = await response.json();
    expect([response.status, answer]).toMatchObject([200, {}]);
    return answer as ValidateResponse;
  }
});

type Levels = readonly { readonly px: string; readonly sz: string }[];

interface RecordedBook {
  readonly mid: number;
  readonly bids: Levels;
  readonly asks: Levels;
}

function lastBook(asset: string): RecordedBook {
  const lines = sharedText(`books/hl_l2book_${asset}_20250904.jsonl.gz`).trimEnd().split("\n");
  const { levels } = JSON.parse(lines.at(-1)!) as { levels: [Levels, Levels] };
  const [bids, asks] = levels;
  return { bids, asks, mid: (Number(bids[0]!.px) + Number(asks[0]!.px)) / 2 };
}

/** Takes levels from the best on until they are worth the size; coins over USD give the average price. */
function walkedFill(levels: Levels, sizeUsd: number): number {
  let leftUsd = sizeUsd;
  let coins = 0;
  for (const { px, sz } of levels) {
    const takenUsd = Math.min(leftUsd, Number(px) * Number(sz));
    coins += takenUsd / Number(px);
    leftUsd -= takenUsd;
    if (leftUsd <= 0) return sizeUsd / coins;
  }
  throw new Error("the recorded book is smaller than the test's order");
}

function recordedFacts(asset: string): { readonly funding: number; readonly maxLeverage: number } {
  const [meta, contexts] = sharedJson("exchange_fixtures/metaAndAssetCtxs_20250822T070353Z.json") as [
    { universe: readonly { name: string; maxLeverage: number }[] },
    readonly { funding: string }[],
  ];
  const index = meta.universe.findIndex(({ name }) => name === asset);
  return { funding: Number(contexts[index]!.funding), maxLeverage: meta.universe[index]!.maxLeverage };
}
