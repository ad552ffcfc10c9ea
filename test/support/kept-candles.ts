import type { FundingSettlement } from "../../src/domain/asset.ts";
import { type BarColumns, barColumnsOf } from "../../src/domain/bar-columns.ts";
import type { Bar } from "../../src/domain/bar.ts";
import type { Ticker } from "../../src/domain/ids.ts";
import { mergeByTime } from "../../src/domain/time-series.ts";
import type { CandleStore } from "../../src/ingest/candle-store.ts";

/** A candle store without a disk. */
export class KeptCandles implements CandleStore {
  readonly bars = new Map<Ticker, readonly Bar[]>();
  readonly settlements = new Map<Ticker, readonly FundingSettlement[]>();

  loadBars(ticker: Ticker): Promise<BarColumns> {
    return Promise.resolve(barColumnsOf(this.bars.get(ticker) ?? []));
  }

  keepBars(ticker: Ticker, added: readonly Bar[]): Promise<void> {
    this.bars.set(
      ticker,
      mergeByTime(this.bars.get(ticker) ?? [], added, (bar) => bar.openTimeMs),
    );
    return Promise.resolve();
  }

  loadSettlements(ticker: Ticker): Promise<readonly FundingSettlement[]> {
    return Promise.resolve(this.settlements.get(ticker) ?? []);
  }

  keepSettlements(ticker: Ticker, added: readonly FundingSettlement[]): Promise<void> {
    this.settlements.set(
      ticker,
      mergeByTime(this.settlements.get(ticker) ?? [], added, ({ timeMs }) => timeMs),
    );
    return Promise.resolve();
  }
}
