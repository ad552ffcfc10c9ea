import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WalletState } from "../../src/domain/account.ts";
import type { Ticker } from "../../src/domain/ids.ts";
import {
  type AlertBreach,
  type AlertThresholds,
  breachesOf,
  DEFAULT_ALERT_THRESHOLDS,
  portfolioVarFractionOf,
  regimesSeenAfter,
  type SeenRegimes,
} from "../../src/risk/alerts.ts";
import { type AccountAssessment, assessAccount } from "../../src/risk/assess-account.ts";
import { LIQUIDITY_REGIMES, type LiquidityRegime } from "../../src/risk/regime/liquidity-regime.ts";
import { alertBody } from "../../src/response/alert-body.ts";
import { fromPct, toPct } from "../../src/response/units.ts";
import { between, magnitude } from "../support/arbitraries.ts";
import { BTC, ETH, NOW_MS, position, WALLET, walletState } from "../support/builders.ts";
import { assertMatchesSchema } from "../support/closed-schema.ts";
import { regimeFacts, SOL, TEST_SCENARIOS, testViewOf } from "../support/market.ts";
import { account, UNKNOWN_TICKER } from "../support/market-arbitraries.ts";

// Mutants killed by hand: no tolerance for what is rounded in an answer, nor for what is rounded in copying it; >= for > and <= for < in each of the four comparisons; a critical score at 84 or 86; a
// critical distance at 1 % or 5 %; drag by its size; VaR over margin used; VaR 95 for 99; a first sight that alerts;
// only worsening shifts; threshold and current value of a shift swapped; a closed position's regime kept; an unknown
// regime forgotten.

const regime = fc.option(fc.constantFrom(...LIQUIDITY_REGIMES));
/** Tickers of the arbitrary accounts with a regime of their own, unknown for some. */
const regimes = fc.record({ [BTC]: regime, [ETH]: regime, [SOL]: regime }) as fc.Arbitrary<
  Record<Ticker, LiquidityRegime | null>
>;
const seenRegimes: fc.Arbitrary<SeenRegimes> = regimes.map(
  (states) =>
    new Map(Object.entries(states).filter((entry): entry is [Ticker, LiquidityRegime] => entry[1] !== null)),
);

/** Bounds around what accounts show, and bounds that nothing or everything breaches. */
const thresholds: fc.Arbitrary<AlertThresholds> = fc.record({
  maxRiskScore: fc.integer({ min: 0, max: 255 }),
  minLiquidationDistanceFraction: fc.oneof(between(-1, 3), fc.constantFrom(0.02, 1)),
  maxPortfolioVarFraction: between(-1, 5),
  maxFundingDragDailyFraction: between(-0.05, 0.05),
});

describe("breachesOf", () => {
  it("finds what the table of the specification names, and nothing else", () => {
    fc.assert(
      fc.property(account, regimes, thresholds, seenRegimes, (held, states, bounds, seen) => {
        const assessed = assessedWith(held, states);

        expect(breachesOf(assessed, bounds, seen)).toEqual(breachesByDefinition(assessed, bounds, seen));
      }),
    );
  });

  it("finds nothing whose message breaks the published schema, its severity included", () => {
    fc.assert(
      fc.property(account, regimes, thresholds, seenRegimes, (held, states, bounds, seen) => {
        for (const breach of breachesOf(assessedWith(held, states), bounds, seen))
          assertMatchesSchema("risk-alert", alertBody(breach, WALLET, NOW_MS));
      }),
    );
  });

  it("is strict: a value that equals its bound, itself or as it is published, is not a breach", () => {
    const copiedOf = (fraction: number): number => toPct(fraction) / 100;
    fc.assert(
      fc.property(account, fc.boolean(), (held, isCopied) => {
        const bound = isCopied ? copiedOf : (fraction: number) => fraction;
        const assessed = assessedWith(held, {});
        const [first] = assessed.positions;
        if (first === undefined) return;
        const atTheBounds: AlertThresholds = {
          maxRiskScore: first.score.displayed,
          minLiquidationDistanceFraction: bound(first.liquidation.distanceFraction),
          maxPortfolioVarFraction: bound(portfolioVarFractionOf(assessed)),
          maxFundingDragDailyFraction: bound(first.fundingDrag24hOfMarginFraction),
        };

        const found = breachesOf(assessed, atTheBounds, new Map());

        expect(found.filter(({ ticker }) => ticker === first.position.ticker || ticker === null)).toEqual([]);
      }),
    );
  });

  it("is strict of a distance however large: one copied from an answer is not a breach", () => {
    const assessed = assessedWith(walletState(1e6, [position({ sizeBase: 1 })]), {});
    const [held] = assessed.positions;
    fc.assert(
      fc.property(magnitude(1e-6, 1e9), (distanceFraction) => {
        const liquidation = { ...held!.liquidation, distanceFraction };
        const minLiquidationDistanceFraction = fromPct(toPct(distanceFraction));

        const found = breachesOf(
          { ...assessed, positions: [{ ...held!, liquidation }] },
          { ...DEFAULT_ALERT_THRESHOLDS, minLiquidationDistanceFraction },
          new Map(),
        );

        expect(found.filter(({ type }) => type === "liquidation_proximity")).toEqual([]);
      }),
      { examples: [[126.3098340924615]] },
    );
  });

  it("is critical from a score of 85 on, and nearer to liquidation than 2 %", () => {
    const assessed = assessedWith(walletState(1e6, [position({ sizeBase: 1 })]), {});
    const [held] = assessed.positions;
    const severityOf = (displayed: number, distanceFraction: number): string[] => {
      const score = { ...held!.score, displayed };
      const liquidation = { ...held!.liquidation, distanceFraction };
      const changed = { ...assessed, positions: [{ ...held!, score, liquidation }] };
      return breachesOf(changed, DEFAULT_ALERT_THRESHOLDS, new Map()).map(({ severity }) => severity);
    };

    expect(severityOf(84.9, 0.02)).toEqual(["warning", "warning"]);
    expect(severityOf(85, 0.0199)).toEqual(["critical", "critical"]);
  });

  it("loses no breach when a threshold is tightened", () => {
    fc.assert(
      fc.property(account, regimes, thresholds, thresholds, seenRegimes, (held, states, a, b, seen) => {
        const tighter: AlertThresholds = {
          maxRiskScore: Math.min(a.maxRiskScore, b.maxRiskScore),
          minLiquidationDistanceFraction: Math.max(
            a.minLiquidationDistanceFraction,
            b.minLiquidationDistanceFraction,
          ),
          maxPortfolioVarFraction: Math.min(a.maxPortfolioVarFraction, b.maxPortfolioVarFraction),
          maxFundingDragDailyFraction: Math.min(a.maxFundingDragDailyFraction, b.maxFundingDragDailyFraction),
        };
        const assessed = assessedWith(held, states);

        const subjects = breachesOf(assessed, tighter, seen).map(subjectOf);

        for (const breach of breachesOf(assessed, a, seen))
          expect(subjects).toContainEqual(subjectOf(breach));
      }),
    );
  });

  it("has finite values whatever the account has come to", () => {
    fc.assert(
      fc.property(account, thresholds, (held, bounds) => {
        for (const { currentValue, threshold } of breachesOf(assessedWith(held, {}), bounds, new Map())) {
          expect([Number.isFinite(currentValue), Number.isFinite(threshold)]).toEqual([true, true]);
        }
      }),
    );
  });

  it("measures VaR against the account, by hand", () => {
    const held = walletState(10_000, [position({ sizeBase: 0.5, entryPrice: 100_000, leverage: 10 })]);
    const assessed = assessedWith(held, {});

    expect(assessed.margin.accountValueUsd).toBeCloseTo(10_000, 9);
    // Half a bitcoin at 100 000: a bad day of some 5 % is a quarter of the account.
    expect(portfolioVarFractionOf(assessed)).toBeCloseTo(
      assessed.portfolio!.assessment.tail.var99Usd / 10_000,
      12,
    );
    expect(portfolioVarFractionOf(assessed)).toBeGreaterThan(0.15);
    expect(portfolioVarFractionOf(assessed)).toBeLessThan(0.4);
  });

  it("measures an account of cents against what it is worth, as one of thousands", () => {
    fc.assert(
      fc.property(magnitude(0.02, 1e6), magnitude(1e-6, 1), (cashUsd, sizeBase) => {
        const assessed = assessedWith(
          walletState(cashUsd, [position({ sizeBase, entryPrice: 100_000 })]),
          {},
        );

        const varUsd = portfolioVarFractionOf(assessed) * assessed.margin.accountValueUsd;

        expect(varUsd / assessed.portfolio!.assessment.tail.var99Usd).toBeCloseTo(1, 9);
      }),
    );
  });

  it("measures an account without value against one cent, and an empty one as safe", () => {
    const lost = assessedWith(walletState(-5, [position()]), {});

    expect(portfolioVarFractionOf(lost)).toBe(lost.portfolio!.assessment.tail.var99Usd / 0.01);
    expect(portfolioVarFractionOf(assessedWith(walletState(0), {}))).toBe(0);
    expect(breachesOf(assessedWith(walletState(0), {}), DEFAULT_ALERT_THRESHOLDS, new Map())).toEqual([]);
  });
});

describe("regimesSeenAfter", () => {
  it("makes of every shift one breach: the same account tells nothing twice", () => {
    fc.assert(
      fc.property(account, regimes, seenRegimes, (held, states, before) => {
        const assessed = assessedWith(held, states);

        const after = regimesSeenAfter(assessed, before);

        const again = breachesOf(assessed, DEFAULT_ALERT_THRESHOLDS, after);
        expect(again.filter(({ type }) => type === "regime_shift")).toEqual([]);
      }),
    );
  });

  it("remembers held assets only, the known regime before the last one", () => {
    fc.assert(
      fc.property(account, regimes, seenRegimes, (held, states, before) => {
        const after = regimesSeenAfter(assessedWith(held, states), before);

        const expected = held.positions.flatMap(({ ticker }) => {
          const state = ticker === UNKNOWN_TICKER ? null : (states[ticker] ?? before.get(ticker) ?? null);
          return state === null ? [] : [[ticker, state]];
        });
        expect([...after]).toEqual(expected);
      }),
    );
  });
});

function assessedWith(
  held: WalletState,
  states: Readonly<Record<Ticker, LiquidityRegime | null>>,
): AccountAssessment {
  return assessAccount({
    account: held,
    viewOf: (ticker) => {
      const view = testViewOf(ticker);
      const state = states[ticker];
      if (view === undefined) return undefined;
      return {
        ...view,
        liquidityRegime: state === null || state === undefined ? null : { ...regimeFacts(), state },
      };
    },
    scenarios: TEST_SCENARIOS,
    isMarketStale: () => false,
    isWalletStale: false,
  });
}

/** The table, slowly: every pair of a position and a rule. */
function breachesByDefinition(
  { positions, portfolio, margin }: AccountAssessment,
  bounds: AlertThresholds,
  seen: SeenRegimes,
): AlertBreach[] {
  const found: AlertBreach[] = [];
  for (const {
    position: held,
    liquidation,
    score,
    fundingDrag24hOfMarginFraction,
    regime: facts,
  } of positions) {
    const { ticker } = held;
    const distance = liquidation.distanceFraction;
    const isNear = toPct(bounds.minLiquidationDistanceFraction) > toPct(distance);
    if (isNear)
      found.push({
        type: "liquidation_proximity",
        ticker,
        severity: distance * 100 < 2 ? "critical" : "warning",
        currentValue: distance,
        threshold: bounds.minLiquidationDistanceFraction,
      });
    if (score.displayed - bounds.maxRiskScore > 0)
      found.push({
        type: "high_risk_score",
        ticker,
        severity: score.displayed < 85 ? "warning" : "critical",
        currentValue: score.displayed,
        threshold: bounds.maxRiskScore,
      });
    if (toPct(fundingDrag24hOfMarginFraction) > toPct(bounds.maxFundingDragDailyFraction))
      found.push({
        type: "funding_drag_excessive",
        ticker,
        severity: "warning",
        currentValue: fundingDrag24hOfMarginFraction,
        threshold: bounds.maxFundingDragDailyFraction,
      });
    const ordinals = { normal: 0, stressed: 1, crisis: 2 };
    const before = seen.get(ticker);
    if (facts !== null && before !== undefined && ordinals[before] !== ordinals[facts.state])
      found.push({
        type: "regime_shift",
        ticker,
        severity: facts.state === "crisis" ? "critical" : "warning",
        currentValue: ordinals[facts.state],
        threshold: ordinals[before],
      });
  }
  const share = (portfolio?.assessment.tail.var99Usd ?? 0) / Math.max(0.01, margin.accountValueUsd);
  if (toPct(share) > toPct(bounds.maxPortfolioVarFraction))
    found.push({
      type: "portfolio_var_breach",
      ticker: null,
      severity: "warning",
      currentValue: share,
      threshold: bounds.maxPortfolioVarFraction,
    });
  return found;
}

function subjectOf({ type, ticker }: AlertBreach): readonly [string, string | null] {
  return [type, ticker];
}
