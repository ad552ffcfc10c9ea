import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Position, WalletState } from "../../../src/domain/account.ts";
import type { Ticker } from "../../../src/domain/ids.ts";
import type { AssetView } from "../../../src/risk/asset-view.ts";
import { accountMarginOf } from "../../../src/risk/margin/account-margin.ts";
import { portfolioAttribution } from "../../../src/risk/portfolio/attribution.ts";
import { correlationDriftScale } from "../../../src/risk/portfolio/dependence/correlation-drift.ts";
import { jointPositions, modelledBook } from "../../../src/risk/portfolio/modelled-book.ts";
import {
  assessPortfolio,
  type NotionalChanges,
  type PortfolioAssessment,
} from "../../../src/risk/portfolio/portfolio-assessment.ts";
import { createPortfolioScratch, type ScenarioAccess } from "../../../src/risk/portfolio/scenario-access.ts";
import { createTailCandidates } from "../../../src/risk/portfolio/tail/tail-candidates.ts";
import { buildSheetDay, createSheetDayScratch } from "../../../src/risk/scenarios/sheet-day.ts";
import { sheetRow, withDay } from "../../../src/risk/scenarios/sheet.ts";
import { horizonTail } from "../../../src/risk/tails/var.ts";
import { accountShortfall99Usd } from "../../../src/risk/trade/account-risk.ts";
import { isolatedLossesUsd } from "../../oracle/bounded-losses.ts";
import { eulerComponents } from "../../oracle/euler-components.ts";
import { lossTailByDefinition } from "../../oracle/loss-tail.ts";
import { addPositionLosses } from "../../oracle/position-losses.ts";
import { direction } from "../../support/arbitraries.ts";
import { BTC, ETH, position, walletState } from "../../support/builders.ts";
import { marginMode, UNKNOWN_TICKER } from "../../support/market-arbitraries.ts";
import { fundingOutlook, SOL, TEST_SCENARIOS, testViewOf } from "../../support/market.ts";

// Mutants killed by hand: terminal prices for the path's worst, lows for shorts, the barrier at the draw's sigma; a touched
// position's loss taken back, of no more than its maintenance, beyond its margin; components of linear losses; the asked
// position bounded, or the others not; trial sizes bounded; the correction for drift beyond what is there to lose; charges
// beyond the margin; funding left out of where a position is liquidated, received funding put in; what is behind a position left out of its VaR alone, or counted besides its price's losses.

/** The tests' joint scenarios with ETH at a sigma that has risen since the draw. */
const sheet = withDay(
  TEST_SCENARIOS.sheet,
  1,
  buildSheetDay(
    sheetRow(TEST_SCENARIOS.sheet, 1, 24, "terminal"),
    1.6,
    TEST_SCENARIOS.sheet.version,
    createSheetDayScratch(TEST_SCENARIOS.sheet.scenarios),
  ),
);
const scratch = createPortfolioScratch(sheet);
const access: ScenarioAccess = { sheet, scratch };
const MARK: ReadonlyMap<Ticker, number> = new Map([
  [BTC, 100_000],
  [ETH, 4_000],
  [SOL, 200],
  [UNKNOWN_TICKER, 3],
]);

/** A day's funding that longs, and that shorts, pay: more than a usual one, and more than some of the margins below. */
const DAY_FUNDING: ReadonlyMap<Ticker, number> = new Map([
  [BTC, 0.004],
  [ETH, -0.012],
]);
function viewOf(ticker: Ticker): AssetView | undefined {
  const view = testViewOf(ticker);
  const drag24hFraction = DAY_FUNDING.get(ticker);
  if (view === undefined || drag24hFraction === undefined) return view;
  return { ...view, funding: fundingOutlook(drag24hFraction / 24, { drag24hFraction }) };
}

/** Shares of the notional: less than nothing, than maintenance, than a day's usual moves, and more than it takes. */
const MARGINS = [-0.02, 0.005, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15, 0.3, 1];
const positionOf = (ticker: Ticker, mode: fc.Arbitrary<Position["marginMode"]>): fc.Arbitrary<Position> =>
  fc
    .record({
      side: direction,
      usd: fc.integer({ min: 1, max: 300 }),
      mode,
      margin: fc.constantFrom(...MARGINS),
    })
    .map(({ side, usd, mode: marginModeOf, margin }) => {
      const entryPrice = MARK.get(ticker)!;
      const sizeBase = (side * 1_000 * usd) / entryPrice;
      const isolatedCashUsd = marginModeOf === "cross" ? null : margin * 1_000 * usd - sizeBase * entryPrice;
      return position({
        ...{ ticker, sizeBase, entryPrice, isolatedCashUsd },
        ...{ marginMode: marginModeOf, leverage: Math.max(1, Math.floor(1 / Math.abs(margin))) },
      });
    });
const accountOf = (
  tickers: readonly Ticker[],
  mode: fc.Arbitrary<Position["marginMode"]> = marginMode,
): fc.Arbitrary<WalletState> =>
  fc
    .tuple(...tickers.map((ticker) => fc.option(positionOf(ticker, mode))))
    .map((found) =>
      walletState(
        300_000,
        found.filter((held) => held !== null),
      ),
    )
    .filter(({ positions }) => positions.length > 0);
const ALL = [BTC, ETH, SOL];
const isolated = fc.constant("isolated" as const);

describe("an account with isolated positions", () => {
  it("loses in every scenario what its positions are defined to, and has the tail and the parts of that", () => {
    let bound = 0;
    fc.assert(
      fc.property(accountOf(ALL), (account) => {
        const lossesOf = account.positions.map((held) => lossesByDefinition(held));
        const total = Array.from(lossesOf[0]!, (_, s) => lossesOf.reduce((sum, of) => sum + of[s]!, 0));
        const scale = scaleByDefinition(account, lossTailByDefinition(total).expectedShortfall99);
        const wanted = lossTailByDefinition(total.map((usd) => scale * usd));
        const parts = eulerComponents(lossesOf, 0.99).varOf;

        const found = assessed(account);

        const usd = account.positions.reduce(
          (sum, { sizeBase, entryPrice }) => sum + Math.abs(sizeBase) * entryPrice,
          0,
        );
        const near = (a: number, b: number): void => expect(Math.abs(a - b) / usd).toBeLessThan(2e-7);
        near(found.tail.var95Usd, wanted.var95);
        near(found.tail.var99Usd, wanted.var99);
        near(found.tail.expectedShortfall99Usd, Math.max(wanted.var99, wanted.expectedShortfall99));
        found.positions.forEach(({ componentVarUsd }, i) => near(componentVarUsd, scale * parts[i]!));
        near(
          found.positions.reduce((sum, part) => sum + part.componentVarUsd, 0),
          found.tail.var99Usd,
        );
        const aloneUsd = lossesOf.reduce((sum, of) => sum + lossTailByDefinition([...of]).var99, 0);
        if (aloneUsd > 1) {
          expect(found.diversificationBenefit).toBeCloseTo(1 - found.tail.var99Usd / aloneUsd, 5);
        }
        if (found.tail.var99Usd < 0.98 * assessed(inFull(account)).tail.var99Usd) bound += 1;
      }),
    );
    expect(bound).toBeGreaterThan(10);
  });

  it("loses no more than all that is behind them where nothing is cross, hedges and assets without a model among them", () => {
    fc.assert(
      fc.property(accountOf([...ALL, UNKNOWN_TICKER], isolated), (account) => {
        const { tail, positions } = assessed(account);
        const mostUsd = behindAllUsd(account) * (1 + 1e-9) + 1e-6;

        expect(tail.var99Usd).toBeLessThanOrEqual(mostUsd);
        expect(tail.expectedShortfall99Usd).toBeLessThanOrEqual(mostUsd);
        expect(positions).toHaveLength(account.positions.length);
      }),
    );
  });

  it("loses exactly all that is behind a hedge of which nothing is left to lose but that", () => {
    const gone = [
      position({ ticker: BTC, sizeBase: 1, entryPrice: 100_000, isolatedCashUsd: 1_000 - 100_000 }),
      position({ ticker: SOL, sizeBase: -250, entryPrice: 200, isolatedCashUsd: 500 + 50_000 }),
    ].map((held) => ({ ...held, marginMode: "isolated" as const }));
    const account = walletState(300_000, gone);
    const { products, drift } = scratch.workspace;
    const positions = jointPositions(modelledBook(account, viewOf, sheet));
    expect(correlationDriftScale(sheet, positions, products, drift)).toBeGreaterThan(1.02);

    const { tail } = assessed(account);

    for (const usd of Object.values(tail)) expect(usd).toBeCloseTo(1_500, 6);

    // Nor more where a third position is taken away from it, by a trade or to see what it adds.
    const third = position({
      ticker: ETH,
      sizeBase: 10,
      entryPrice: 4_000,
      isolatedCashUsd: 20_000 - 40_000,
    });
    const three = walletState(300_000, [...gone, { ...third, marginMode: "isolated" }]);
    const whole = assessed(three, { ticker: ETH, row: 1, marginMode: "isolated", changesUsd: [-40_000] });
    expect(whole.changedShortfalls99Usd![0]).toBeCloseTo(1_500, 6);
    expect(whole.tail.var99Usd - whole.positions[2]!.incrementalVarUsd).toBeCloseTo(1_500, 6);
  });

  it("gains and loses exactly nothing by a position of nothing", () => {
    fc.assert(
      fc.property(positionOf(SOL, isolated), (held) => {
        const [one] = jointPositions(modelledBook(walletState(300_000, [held]), viewOf, sheet));
        const nothing = { row: 1, notionalUsdSigned: 0, bound: null };

        const { workspace } = scratch;
        const candidates = createTailCandidates(sheet.scenarios, workspace.arena);
        const { positions } = portfolioAttribution(sheet, [one!, nothing], null, candidates, workspace);

        expect(positions[1]!.incrementalVarUsd).toBe(0);
        expect(positions[1]!.componentVarUsd).toBe(0);
      }),
    );
  });

  it("has no shares of a total of which only rounding is left", () => {
    const gone = [
      position({ ticker: BTC, sizeBase: 1, entryPrice: 100_000, isolatedCashUsd: 1e-10 - 100_000 }),
      position({ ticker: SOL, sizeBase: -250, entryPrice: 200, isolatedCashUsd: 50_000 }),
    ].map((held) => ({ ...held, marginMode: "isolated" as const }));

    const { tail, positions } = assessed(walletState(300_000, gone));

    expect(tail.var99Usd).toBeGreaterThan(0);
    expect(tail.var99Usd).toBeLessThan(1e-9);
    expect(positions.map(({ componentVarShare }) => componentVarShare)).toEqual([null, null]);
  });

  it("adds to the others at most what each of them adds alone to nothing, and all of its VaR where it is alone", () => {
    fc.assert(
      fc.property(positionOf(SOL, isolated), positionOf(ETH, marginMode), (one, other) => {
        const alone = assessed(walletState(300_000, [one]));
        expect(alone.positions[0]!.incrementalVarUsd).toBe(alone.tail.var99Usd);

        const both = assessed(walletState(300_000, [one, other]));
        const otherAlone = assessed(walletState(300_000, [other])).tail.var99Usd;
        const without = both.tail.var99Usd - both.positions[0]!.incrementalVarUsd;
        expect(without).toBeCloseTo(otherAlone, 2);
      }),
    );
  });

  it("adds by each position what the others' risk lacks to all of it", () => {
    fc.assert(
      fc.property(accountOf(ALL), (account) => {
        const { tail, positions } = assessed(account);
        const usd = account.positions.reduce(
          (sum, { sizeBase, entryPrice }) => sum + Math.abs(sizeBase) * entryPrice,
          0,
        );
        positions.forEach(({ incrementalVarUsd }, i) => {
          const others = walletState(300_000, account.positions.toSpliced(i, 1));
          const addedUsd = tail.var99Usd - assessed(others).tail.var99Usd;
          expect(Math.abs(incrementalVarUsd - addedUsd) / usd).toBeLessThan(2e-7);
        });
      }),
    );
  });

  it("is attributed as without bounds where none is met", () => {
    fc.assert(
      fc.property(accountOf(ALL), (account) => {
        const { workspace } = scratch;
        const linear = jointPositions(modelledBook(inFull(account), viewOf, sheet));
        const far = linear.map((held) => ({ ...held, bound: { equityUsd: 1e9, logBarrier: null } }));
        const attributed = (positions: typeof far | typeof linear) =>
          portfolioAttribution(
            ...[sheet, positions, null, createTailCandidates(sheet.scenarios, workspace.arena), workspace],
          );

        expect(attributed(far)).toEqual(attributed(linear));
      }),
    );
  });

  it("counts the position that is asked about in full, as it is and at other sizes, and the others for their margin", () => {
    const asked = fc.record({
      account: accountOf([...ALL, UNKNOWN_TICKER]),
      ticker: fc.constantFrom(...ALL, UNKNOWN_TICKER),
      changeUsd: fc
        .tuple(direction, fc.integer({ min: 1, max: 300 }))
        .map(([side, usd]) => side * 1_000 * usd),
    });
    fc.assert(
      fc.property(asked, ({ account, ticker, changeUsd }) => {
        const row = viewOf(ticker)?.sheetRow ?? null;
        const found = assessed(account, { ticker, row, marginMode: "isolated", changesUsd: [changeUsd] });
        const near = (a: number, b: number): void => {
          expect(Math.abs(a - b)).toBeLessThan(1e-9 * (3e6 + Math.abs(b)));
        };

        near(found.askedShortfall99Usd, accountShortfall99Usd(account, ticker, viewOf, access));
        if (row === null || found.changedShortfalls99Usd === null) return;
        const price = MARK.get(ticker)!;
        const held = account.positions.find((of) => of.ticker === ticker);
        const sizeBase = (held?.sizeBase ?? 0) + changeUsd / price;
        const changed = position({ ticker, sizeBase, entryPrice: price });
        const others = account.positions.filter((of) => of.ticker !== ticker);
        const after = { ...account, positions: [...others, changed] };
        near(found.changedShortfalls99Usd[0]!, accountShortfall99Usd(after, ticker, viewOf, access));
      }),
    );
  });

  it("has cross positions that lose what they would without its isolated ones, as they are and at other sizes", () => {
    const mixed = fc.record({
      account: accountOf([...ALL, UNKNOWN_TICKER]),
      ticker: fc.constantFrom(...ALL),
      changeUsd: fc
        .tuple(direction, fc.integer({ min: 1, max: 300 }))
        .map(([side, usd]) => side * 1_000 * usd),
    });
    let found = 0;
    fc.assert(
      fc.property(mixed, ({ account, ticker, changeUsd }) => {
        const { positions } = account;
        const ofCross = positions.filter((held) => held.marginMode === "cross");
        const row = viewOf(ticker)!.sheetRow!;
        const held = positions.find((of) => of.ticker === ticker);
        if (held !== undefined && held.marginMode !== "cross") return;
        const order = { ticker, row, changesUsd: [changeUsd] };
        const { cross } = assessed(account, { ...order, marginMode: "cross" });
        expect(assessed(account, { ...order, marginMode: "isolated" }).cross).toBeNull();
        if (ofCross.length === 0 || ofCross.length === positions.length || !jointOf(account)) {
          expect(cross).toBeNull();
          return;
        }
        found += 1;
        const shortfallOf = (book: readonly Position[]): number =>
          assessed({ ...account, positions: book }).tail.expectedShortfall99Usd;
        const near = (a: number, b: number): void => expect(Math.abs(a - b)).toBeLessThan(1e-3);

        near(cross!.shortfall99Usd, shortfallOf(ofCross));
        const price = MARK.get(ticker)!;
        const sizeBase = (held?.sizeBase ?? 0) + changeUsd / price;
        const others = ofCross.filter((of) => of.ticker !== ticker);
        const changed = position({ ticker, sizeBase, entryPrice: price });
        near(cross!.changedShortfalls99Usd![0]!, shortfallOf([...others, changed]));
      }),
    );
    expect(found).toBeGreaterThan(10);
  });

  it("is charged in full while the scenarios have no row of its own yet", () => {
    const account = walletState(300_000, [
      position({ ticker: BTC, sizeBase: 1, entryPrice: 100_000 }),
      position({
        ...{ ticker: ETH, sizeBase: -5, entryPrice: 4_000 },
        ...{ marginMode: "isolated", isolatedCashUsd: 24_000 },
      }),
    ]);
    const early = (ticker: Ticker): AssetView =>
      ticker === BTC ? { ...viewOf(ticker)!, sheetRow: sheet.rows } : viewOf(ticker)!;
    const changes = { ticker: BTC, row: sheet.rows, marginMode: "cross" as const, changesUsd: [-1_000] };

    const found = assessPortfolio(account, accountMarginOf(account, early), early, access, changes);

    expect([found.simulations, found.changedShortfalls99Usd]).toEqual([sheet.scenarios, null]);
    const day = horizonTail(viewOf(BTC)!.tails!.long, 24);
    expect(found.cross).toEqual({
      shortfall99Usd: 100_000 * day.expectedShortfall99,
      changedShortfalls99Usd: null,
    });
    expect(found.positions[0]!.componentVarUsd).toBeCloseTo(100_000 * day.var99, 6);
    const other = assessed(walletState(300_000, account.positions.slice(1)));
    expect(found.tail.var99Usd).toBeCloseTo(100_000 * day.var99 + other.tail.var99Usd, 6);
  });

  it("is charged for what is behind a position that has no model, or for the half of it that unknown assets lose", () => {
    const charged = (marginUsd: number): number => {
      const isolatedCashUsd = marginUsd - 30_000;
      const held = position({ ticker: UNKNOWN_TICKER, sizeBase: 10_000, entryPrice: 3, leverage: 3 });
      const { tail } = assessed(walletState(0, [{ ...held, marginMode: "isolated", isolatedCashUsd }]));
      for (const usd of Object.values(tail)) expect(usd).toBe(tail.var99Usd);
      return tail.var99Usd;
    };
    expect(charged(2_000)).toBeCloseTo(2_000, 6);
    expect(charged(20_000)).toBeCloseTo(15_000, 6);
  });
});

function assessed(account: WalletState, asked: NotionalChanges | null = null): PortfolioAssessment {
  return assessPortfolio(account, accountMarginOf(account, viewOf), viewOf, access, asked);
}

/** Whether any position has a place in the scenarios. */
function jointOf({ positions }: WalletState): boolean {
  return positions.some(({ ticker }) => ticker !== UNKNOWN_TICKER);
}

/** The same positions with the whole account behind each. */
function inFull(account: WalletState): WalletState {
  const positions = account.positions.map((held) => ({
    ...held,
    marginMode: "cross" as const,
    isolatedCashUsd: null,
  }));
  return { ...account, positions };
}

function lossesByDefinition(held: Position): Float64Array {
  const view = viewOf(held.ticker)!;
  if (held.marginMode === "isolated") return isolatedLossesUsd(held, view, sheet);
  const losses = new Float64Array(sheet.scenarios);
  const notionalUsdSigned = held.sizeBase * view.context.markPrice;
  addPositionLosses(sheet, { row: view.sheetRow!, notionalUsdSigned }, losses);
  return losses;
}

/** The correction for drift, which has its own oracle, as far as there is something to lose. */
function scaleByDefinition(account: WalletState, shortfallUsd: number): number {
  const { products, drift } = scratch.workspace;
  const positions = jointPositions(modelledBook(account, viewOf, sheet));
  const scale = correlationDriftScale(sheet, positions, products, drift);
  if (scale <= 1 || shortfallUsd <= 0 || account.positions.some(({ marginMode: mode }) => mode === "cross"))
    return scale;
  return Math.max(1, Math.min(scale, behindAllUsd(account) / shortfallUsd));
}

/** What isolated positions can lose together. */
function behindAllUsd({ positions }: WalletState): number {
  const behindUsd = positions.map(({ isolatedCashUsd, sizeBase, entryPrice }) =>
    Math.max(0, isolatedCashUsd! + sizeBase * entryPrice),
  );
  return behindUsd.reduce((sum, usd) => sum + usd, 0);
}
