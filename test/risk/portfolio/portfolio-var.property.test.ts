import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildHarrellDavisWeights, harrellDavisOfDescending } from "../../../src/math/harrell-davis.ts";
import { normalQuantile } from "../../../src/math/normal.ts";
import { quantileOfSorted } from "../../../src/math/quantile.ts";
import { createRandom } from "../../../src/math/random.ts";
import { expectedShortfallOfDescending } from "../../../src/risk/tails/expected-shortfall.ts";
import {
  diversificationBenefitOf,
  portfolioAttribution,
  standaloneVar99Usd,
} from "../../../src/risk/portfolio/attribution.ts";
import {
  changedDriftScale,
  correlationDriftScale,
  DRIFT_DECAY,
  DRIFT_SCALE_RANGE,
} from "../../../src/risk/portfolio/dependence/correlation-drift.ts";
import { bookTail } from "../../../src/risk/portfolio/tail/book-tail.ts";
import { reducedVar99Usd, trialShortfall99Usd } from "../../../src/risk/portfolio/tail/changed-risk.ts";
import { fillPortfolioLosses, type SheetPosition } from "../../../src/risk/portfolio/portfolio-losses.ts";
import {
  createPortfolioWorkspace,
  portfolioTail,
  type PortfolioTail,
} from "../../../src/risk/portfolio/portfolio-var.ts";
import { createTailCandidates } from "../../../src/risk/portfolio/tail/tail-candidates.ts";
import {
  buildSheetDay,
  createSheetDayScratch,
  type SheetDay,
} from "../../../src/risk/scenarios/sheet-day.ts";
import {
  dayReturnsOf,
  residualsOf,
  sheetRow,
  type ScenarioSheet,
  withDay,
} from "../../../src/risk/scenarios/sheet.ts";
import { rescaleAssetTails } from "../../../src/risk/scenarios/asset-tails.ts";
import { horizonTail, sideTails } from "../../../src/risk/tails/var.ts";
import { buildScenarioSheet } from "../../../src/risk/scenarios/sheet-builder.ts";
import { addPositionLosses } from "../../oracle/position-losses.ts";
import { deltaNormalVar } from "../../oracle/delta-normal.ts";
import { driftScaleByDefinition } from "../../oracle/drift-scale.ts";
import { eulerComponents } from "../../oracle/euler-components.ts";
import { lossTailByDefinition } from "../../oracle/loss-tail.ts";
import { quantileOfType } from "../../oracle/quantile-types.ts";
import { TEST_WINDOW, testAsset, testHistory, testInputs } from "../../support/scenarios.ts";
import { hasVectors } from "../../support/shared-data.ts";
import { magnitude } from "../../support/arbitraries.ts";
import {
  forEachVector,
  loadColumn,
  type VectorCase,
  vectorMismatches,
  withinTolerance,
} from "../../support/vectors.ts";

// Mutants killed: sign of the notional, components ordered by the position's own loss, HD weights read one rank off,
// the fractional tail share dropped, incremental VaR against the wrong rest, standalone of the other side, drift scale
// applied to VaR but not components, hedged share without netting, drift exponent doubled, a day's ratio applied after
// the exponential, a day built from the lows, its VaR left at the draw, days of another draw taken; of the changed
// tail: the row's other end read, ties at the old tail's end taken twice or never, a list that ends early believed,
// the bound too tight, a lane or the remainder of four dropped, extremes of an old draw; of the drift of a changed
// book: the change's own product left out, its cross products counted once, a difference of sums believed where digits
// cancel, its exposure left in, a new row's exposure or sums left out, not netted by row, sums of one position of a
// pair only.

const assets = [1, 2, 3, 4].map((seed) => testAsset(seed, { sigmaMultiplier: 1 + seed / 4 }));
const { sheet, tails } = buildScenarioSheet(testInputs(77, assets));
const workspace = createPortfolioWorkspace(sheet.scenarios);

const notional = fc.double({ min: 100, max: 1e6, noNaN: true }).chain((size) => fc.constantFrom(size, -size));
const book = fc
  .array(notional, { minLength: 1, maxLength: 4 })
  .map((sizes) => sizes.map((notionalUsdSigned, row): SheetPosition => ({ row, notionalUsdSigned })));

describe.skipIf(!hasVectors)("portfolio oracles", () => {
  forEachVector("portfolio_scenario", (vector) => {
    const input = vector.input as { csv: string; columns: string[]; positions_usd: number[]; c: number };
    const columns = input.columns.map((column) => loadColumn(input.csv, column));
    const given = sheetOfReturns(columns);
    const positions = input.positions_usd.map((notionalUsdSigned, row) => ({ row, notionalUsdSigned }));
    const memory = createPortfolioWorkspace(given.scenarios);
    const losses = new Float64Array(given.scenarios);
    fillPortfolioLosses(given, positions, losses);

    const tail = portfolioTail(losses, memory);

    // The service attributes at 99 % with Harrell-Davis; other levels and estimators are the oracle's.
    const is99 = input.c === 0.99;
    const lossesOf = columns.map((column, i) => column.map((r) => -input.positions_usd[i]! * r));
    const euler = eulerComponents(lossesOf, input.c);
    const quantileOf = (sample: Float64Array): number =>
      harrellDavisOfDescending(
        sample.slice().sort().reverse(),
        buildHarrellDavisWeights(sample.length, input.c),
      );
    const shortfallOf = (sample: Float64Array): number =>
      expectedShortfallOfDescending(sample.slice().sort().reverse(), sample.length, input.c);
    const without = (i: number): Float64Array => losses.map((loss, s) => loss - lossesOf[i]![s]!);
    const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
    const varHd = is99 ? tail.var99Usd : tail.var95Usd;
    const es = is99 ? tail.expectedShortfall99Usd : tail.expectedShortfall95Usd;
    const standalone = { var: lossesOf.map(quantileOf), es: lossesOf.map(shortfallOf) };
    const ascending = losses.slice().sort();
    expect(
      vectorMismatches(vector, {
        var_hd: varHd,
        es,
        var_type7: quantileOfSorted(ascending, input.c),
        var_order: quantileOfType(ascending, input.c, 1),
        component_var_hd: euler.varOf,
        component_var_hd_sum: sum(euler.varOf),
        component_es: euler.shortfallOf,
        component_es_sum: sum(euler.shortfallOf),
        incremental_var_hd: lossesOf.map((_, i) => varHd - quantileOf(without(i))),
        standalone_var_hd: standalone.var,
        standalone_es: standalone.es,
        diversification_benefit_pct_hd: 100 * (1 - varHd / sum(standalone.var)),
        diversification_benefit_pct_es: 100 * (1 - es / sum(standalone.es)),
      }),
    ).toEqual([]);
    if (!is99) return;
    // Attribution reads returns of single precision, as sheets hold them, which the vector's are not.
    const roundedColumns = columns.map((column) => Float64Array.from(column, Math.fround));
    const rounded = sheetOfReturns(roundedColumns);
    const single: VectorCase = { ...vector, tolerance: { default: { rel: 1e-6, abs: 1e-6 * varHd } } };
    const attribution = portfolioAttribution(
      rounded,
      positions,
      null,
      createTailCandidates(given.scenarios, memory.arena),
      memory,
    );
    // Constant residuals carry no news about dependence, so the drift correction is 1 here.
    expect(correlationDriftScale(given, positions, memory.products, memory.drift)).toBeCloseTo(1, 12);
    const attributed = {
      component_var_hd: attribution.positions.map((position) => position.componentVarUsd),
      incremental_var_hd: attribution.positions.map((position) => position.incrementalVarUsd),
      standalone_var_hd: positions.map((position) => standaloneVar99Usd(rounded, position)),
      diversification_benefit_pct_hd: 100 * benefitOf(rounded, attribution.tail, positions),
    };
    const standaloneOf = positions.map((position) => standaloneVar99Usd(given, position));
    expect(vectorMismatches(vector, { standalone_var_hd: standaloneOf })).toEqual([]);
    expect(vectorMismatches(single, attributed)).toEqual([]);
    // To the vector's own tolerance it is what the oracle, which meets the vector above, says of the same returns.
    const roundedLossesOf = roundedColumns.map((column, i) =>
      column.map((r) => -input.positions_usd[i]! * r),
    );
    const roundedLosses = losses.map((_, s) => sum(roundedLossesOf.map((column) => column[s]!)));
    const roundedVar = quantileOf(roundedLosses);
    const roundedStandalone = roundedLossesOf.map(quantileOf);
    const exact: VectorCase = {
      ...vector,
      expected: {
        component_var_hd: Array.from(eulerComponents(roundedLossesOf, input.c).varOf),
        incremental_var_hd: roundedLossesOf.map(
          (column) => roundedVar - quantileOf(roundedLosses.map((loss, s) => loss - column[s]!)),
        ),
        standalone_var_hd: roundedStandalone,
        diversification_benefit_pct_hd: 100 * (1 - roundedVar / sum(roundedStandalone)),
      },
    };
    expect(vectorMismatches(exact, attributed)).toEqual([]);
  });

  // A normal VaR is what the service replaces; it is computed by the oracle only.
  forEachVector("portfolio_delta_normal", (vector) => {
    const input = vector.input as { csv: string; columns: string[]; positions_usd: number[]; c: number };
    const columns = input.columns.map((column) => loadColumn(input.csv, column));

    const found = deltaNormalVar(columns, input.positions_usd, normalQuantile(input.c));

    expect(
      vectorMismatches(vector, {
        cov: found.covariance,
        sigma_usd: found.sigmaUsd,
        var: found.varUsd,
        marginal_per_usd: found.marginals,
        component: found.components,
        component_pct: found.components.map((usd) => (100 * usd) / found.varUsd),
      }),
    ).toEqual([]);
  });
});

describe("portfolioTail", () => {
  it("equals summing the positions' profits, sorting and averaging the tail", () => {
    fc.assert(
      fc.property(book, (positions) => {
        const losses = lossesOf(positions);
        const expected = lossTailByDefinition(
          Array.from({ length: sheet.scenarios }, (_, s) => {
            let profit = 0;
            for (const { row, notionalUsdSigned } of positions) {
              profit += notionalUsdSigned * Math.expm1(sheetRow(sheet, row, 24, "terminal")[s]!);
            }
            return -profit;
          }),
        );
        const tail = portfolioTail(losses, workspace);
        const scale = positions.reduce((sum, { notionalUsdSigned }) => sum + Math.abs(notionalUsdSigned), 0);
        const near = (actual: number, wanted: number): void =>
          expect(Math.abs(actual - wanted)).toBeLessThan(1e-7 * scale);
        near(tail.var95Usd, expected.var95);
        near(tail.var99Usd, expected.var99);
        near(tail.expectedShortfall95Usd, expected.expectedShortfall95);
        near(tail.expectedShortfall99Usd, expected.expectedShortfall99);
      }),
      { numRuns: 60 },
    );
  });

  it("comes close to the delta-normal VaR where returns are normal", () => {
    const random = createRandom(17);
    const n = 4096;
    const common = Array.from({ length: n }, () => random.normal());
    const columns = [0.6, 0.3, -0.2].map((loading) =>
      Float64Array.from(
        common,
        (m) => 0.02 * (loading * m + Math.sqrt(1 - loading * loading) * random.normal()),
      ),
    );
    const given = sheetOfReturns(columns);
    const sizes = [4000, -2500, 3000];
    const losses = new Float64Array(n);
    fillPortfolioLosses(
      given,
      sizes.map((notionalUsdSigned, row) => ({ row, notionalUsdSigned })),
      losses,
    );

    const tail = portfolioTail(losses, createPortfolioWorkspace(n));

    // Standard error of a normal 99 % quantile from 4096: √(p(1−p)/n)/φ(q) = 0.058 deviations, 2.5 % of the quantile.
    const { varUsd } = deltaNormalVar(columns, sizes, normalQuantile(0.99));
    expect(Math.abs(tail.var99Usd / varUsd - 1)).toBeLessThan(0.1);
    expect(tail.expectedShortfall99Usd / tail.var99Usd).toBeGreaterThan(1.08);
  });

  it("has subadditive tail means on one set of scenarios", () => {
    fc.assert(
      fc.property(book, book, (a, b) => {
        const es = (positions: readonly SheetPosition[]): number =>
          portfolioTail(lossesOf(positions), workspace).expectedShortfall99Usd;
        const apart = es(a) + es(b);
        expect(es([...a, ...b])).toBeLessThanOrEqual(apart + 1e-9 * Math.abs(apart) + 1e-6);
      }),
    );
  });

  it("mirrors profits of the mirrored book, scenario by scenario", () => {
    fc.assert(
      fc.property(book, (positions) => {
        const mirrored = positions.map(({ row, notionalUsdSigned }) => ({
          row,
          notionalUsdSigned: -notionalUsdSigned,
        }));
        const losses = lossesOf(positions);
        lossesOf(mirrored).forEach((loss, s) => expect(loss).toBeCloseTo(-losses[s]!, 9));
      }),
    );
  });
});

describe("portfolioAttribution", () => {
  it("splits the total exactly, whatever the book", () => {
    fc.assert(
      fc.property(book, (positions) => {
        const { tail, positions: parts } = attributionOf(positions);
        const gross = positions.reduce((sum, { notionalUsdSigned }) => sum + Math.abs(notionalUsdSigned), 0);
        const sum = parts.reduce((total, part) => total + part.componentVarUsd, 0);
        expect(Math.abs(sum - tail.var99Usd)).toBeLessThan(1e-9 * gross);
        const shares = parts.reduce((total, part) => total + (part.componentVarShare ?? 0), 0);
        if (parts[0]!.componentVarShare !== null) expect(shares).toBeCloseTo(1, 6);
      }),
    );
  });

  it("is homogeneous: k times the book, k times every USD", () => {
    fc.assert(
      fc.property(book, fc.double({ min: 0.1, max: 10, noNaN: true }), (positions, k) => {
        const base = attributionOf(positions);
        const scaled = attributionOf(
          positions.map(({ row, notionalUsdSigned }) => ({ row, notionalUsdSigned: k * notionalUsdSigned })),
        );
        expect(scaled.driftScale).toBeCloseTo(base.driftScale, 9);
        expectNear(scaled.tail.var99Usd, k * base.tail.var99Usd, scaled.tail.var99Usd);
        scaled.positions.forEach((part, i) => {
          expectNear(part.incrementalVarUsd, k * base.positions[i]!.incrementalVarUsd, scaled.tail.var99Usd);
          expectNear(part.componentVarUsd, k * base.positions[i]!.componentVarUsd, scaled.tail.var99Usd);
        });
      }),
      { numRuns: 60 },
    );
  });

  it("of one position is that position alone, without benefit", () => {
    fc.assert(
      fc.property(notional, fc.nat({ max: 3 }), (notionalUsdSigned, row) => {
        const position = { row, notionalUsdSigned };
        const { tail, driftScale, positions } = attributionOf([position]);
        expect(driftScale).toBe(1);
        expect(tail.var99Usd / standaloneVar99Usd(sheet, position)).toBeCloseTo(1, 9);
        expect(positions[0]!.componentVarUsd / tail.var99Usd).toBeCloseTo(1, 9);
        expect(positions[0]!.incrementalVarUsd).toBe(tail.var99Usd);
      }),
    );
  });

  it("ignores a position of nothing, and one that is taken out again", () => {
    fc.assert(
      fc.property(book, notional, (positions, size) => {
        const base = attributionOf(positions);
        const withZero = attributionOf([...positions, { row: 3, notionalUsdSigned: 0 }]);
        const withBoth = attributionOf([
          ...positions,
          { row: 0, notionalUsdSigned: size },
          { row: 0, notionalUsdSigned: -size },
        ]);
        expect(withZero.tail).toEqual(base.tail);
        expect(withZero.positions.at(-1)).toMatchObject({ componentVarUsd: 0, incrementalVarUsd: 0 });
        expectNear(withBoth.tail.var99Usd, base.tail.var99Usd, base.tail.var99Usd + Math.abs(size));
        expect(withBoth.driftScale).toBeCloseTo(base.driftScale, 9);
      }),
      { numRuns: 60 },
    );
  });

  it("knows no shares of a total of nothing", () => {
    const { tail, positions } = attributionOf([
      { row: 0, notionalUsdSigned: 1_000 },
      { row: 0, notionalUsdSigned: -1_000 },
    ]);

    expect(Math.abs(tail.var99Usd)).toBeLessThan(1e-9);
    expect(positions.map(({ componentVarShare }) => componentVarShare)).toEqual([null, null]);
  });

  it("does not depend on the order, and splits a split position evenly", () => {
    fc.assert(
      fc.property(book, (positions) => {
        const base = attributionOf(positions);
        const reversed = attributionOf([...positions].reverse());
        const gross = positions.reduce((sum, { notionalUsdSigned }) => sum + Math.abs(notionalUsdSigned), 0);
        expectNear(reversed.tail.var99Usd, base.tail.var99Usd, gross);
        base.positions.forEach((part, i) => {
          const same = reversed.positions.at(-1 - i)!;
          expectNear(same.componentVarUsd, part.componentVarUsd, gross);
        });
        const [first, ...rest] = positions;
        const half = { row: first!.row, notionalUsdSigned: first!.notionalUsdSigned / 2 };
        const split = attributionOf([half, half, ...rest]);
        expectNear(split.positions[0]!.componentVarUsd, base.positions[0]!.componentVarUsd / 2, gross);
        expect(split.positions[1]!.componentVarUsd).toBe(split.positions[0]!.componentVarUsd);
      }),
      { numRuns: 60 },
    );
  });

  it("lets a new trade be added to a wallet's kept vector: one pass equals all", () => {
    fc.assert(
      fc.property(book, notional, (positions, size) => {
        const kept = lossesOf(positions);
        const trade = { row: 2, notionalUsdSigned: size };
        addPositionLosses(sheet, trade, kept);
        expect(kept).toEqual(lossesOf([...positions, trade]));
      }),
    );
  });

  it("shows a hedge as a negative component", () => {
    const { positions } = attributionOf([
      { row: 0, notionalUsdSigned: 10_000 },
      { row: 1, notionalUsdSigned: -2000 },
    ]);
    expect(positions[1]!.componentVarUsd).toBeLessThan(0);
    expect(positions[1]!.incrementalVarUsd).toBeLessThan(0);
  });
});

describe("between draws", () => {
  const ratio = fc.double({ min: 0.5, max: 2, noNaN: true });
  const scratch = createSheetDayScratch(sheet.scenarios);
  const at = (row: number, sigmaRatio: number): SheetDay =>
    buildSheetDay(sheetRow(sheet, row, 24, "terminal"), sigmaRatio, sheet.version, scratch);

  it("sums e^{kc} − 1 of every row at its own sigma, exactly", () => {
    fc.assert(
      fc.property(book, fc.array(ratio, { minLength: 4, maxLength: 4 }), (positions, ratios) => {
        let now = sheet;
        ratios.forEach((k, row) => (now = withDay(now, row, at(row, k))));
        const losses = new Float64Array(sheet.scenarios);
        fillPortfolioLosses(now, positions, losses);
        const gross = positions.reduce((sum, { notionalUsdSigned }) => sum + Math.abs(notionalUsdSigned), 0);
        losses.forEach((loss, s) => {
          let wanted = 0;
          for (const { row, notionalUsdSigned } of positions) {
            const c = sheetRow(sheet, row, 24, "terminal")[s]!;
            wanted -= notionalUsdSigned * (Math.exp(ratios[row]! * c) - 1);
          }
          expect(Math.abs(loss - wanted)).toBeLessThan(1e-7 * gross);
        });
      }),
      { numRuns: 30 },
    );
  });

  it("keeps every return within the bounds that paths are kept in, at whatever sigma", () => {
    const { returns } = buildSheetDay(
      Float32Array.of(-9, -0.01, 0, 0.01, 9),
      20,
      1,
      createSheetDayScratch(5),
    );

    const within = [-10, -0.2, 0, 0.2, Math.log(20)].map((logReturn) => Math.expm1(logReturn));
    returns.forEach((value, s) => expect(Math.abs(value - within[s]!)).toBeLessThan(1e-6 * (2 + within[s]!)));
  });

  it("makes a portfolio of one position the position alone, with no benefit, at every sigma", () => {
    fc.assert(
      fc.property(notional, ratio, fc.nat({ max: 3 }), (notionalUsdSigned, k, row) => {
        const now = withDay(sheet, row, at(row, k));
        const position = { row, notionalUsdSigned };
        const { tail } = portfolioAttribution(
          now,
          [position],
          null,
          createTailCandidates(sheet.scenarios, workspace.arena),
          workspace,
        );
        const returns = dayReturnsOf(now, row);
        const alone = lossTailByDefinition(Array.from(returns, (r) => -notionalUsdSigned * r));
        expectNear(tail.var99Usd, standaloneVar99Usd(now, position), notionalUsdSigned);
        expectNear(tail.var99Usd, alone.var99, notionalUsdSigned);
        expect(benefitOf(now, tail, [position])).toBeCloseTo(0, 12);
      }),
      { numRuns: 60 },
    );
  });

  it("moves the portfolio with its asset's own tails: both stand at one sigma", () => {
    fc.assert(
      fc.property(notional, ratio, fc.nat({ max: 3 }), (notionalUsdSigned, k, row) => {
        const direction = notionalUsdSigned > 0 ? 1 : -1;
        const drawnAsset = horizonTail(sideTails(tails[row]!, direction), 24);
        const rescaled = rescaleAssetTails(tails[row]!, Float64Array.of(k, k, k, k));
        const own = horizonTail(sideTails(rescaled, direction), 24);
        const position = { row, notionalUsdSigned };
        const drawn = standaloneVar99Usd(sheet, position);
        const moved = standaloneVar99Usd(withDay(sheet, row, at(row, k)), position);
        // The one scales every scenario, the other the quantile's logarithm: with 64 times fewer scenarios than the
        // service's the curvature within the quantile's reach is left, which vanishes with the move.
        const error = Math.abs(moved / drawn / (own.var99 / drawnAsset.var99) - 1);
        expect(error).toBeLessThanOrEqual(0.03 * Math.abs(Math.log(k)) + 1e-9);
      }),
      { numRuns: 60 },
    );
  });

  it("keeps the sheet for a day of another draw, and shares everything but the day replaced", () => {
    const day = at(1, 1.5);
    expect(withDay(sheet, 1, { ...day, version: sheet.version + 1 })).toBe(sheet);
    expect(withDay(sheet, sheet.rows, day)).toBe(sheet);
    const now = withDay(sheet, 1, day);
    expect(now.days[1]).toBe(day);
    expect([now.days[0], now.logPaths, now.pools]).toEqual([sheet.days[0], sheet.logPaths, sheet.pools]);
    expect(sheet.days[1]!.sigmaRatio).toBe(1);
  });
});

describe("reducedVar99Usd and trialShortfall99Usd", () => {
  /** From a thousandth of the smallest position to ten times the largest, or none of it: few scenarios to look at, or all. */
  const changeSize = fc.oneof(
    fc.constant(0),
    magnitude(0.1, 1e7).chain((size) => fc.constantFrom(size, -size)),
  );
  const mixedBook = fc
    .array(fc.oneof(notional, fc.constant(0)), { minLength: 1, maxLength: 4 })
    .map((sizes) => sizes.map((notionalUsdSigned, row): SheetPosition => ({ row, notionalUsdSigned })));

  it("are of the losses with the change added, at whatever sigma the rows are read", () => {
    fc.assert(
      fc.property(
        mixedBook,
        fc.nat({ max: 3 }),
        changeSize,
        fc.boolean(),
        fc.constantFrom(0.3, 1, 2.5),
        (positions, row, size, isRemoval, ratio) => {
          const scratch = createSheetDayScratch(sheet.scenarios);
          const day = buildSheetDay(sheetRow(sheet, row, 24, "terminal"), ratio, sheet.version, scratch);
          const now = withDay(sheet, row, day);
          const losses = new Float64Array(now.scenarios);
          fillPortfolioLosses(now, positions, losses);
          const held = positions.find((position) => position.row === row)?.notionalUsdSigned ?? 0;
          const change = { row, notionalUsdSigned: isRemoval ? -held : size };
          const candidates = createTailCandidates(now.scenarios, workspace.arena);
          bookTail(now, positions, null, candidates, workspace);
          const var99Usd = reducedVar99Usd(now, change, candidates, workspace);
          const shortfallUsd = trialShortfall99Usd(now, change, 0, candidates, workspace);

          addPositionLosses(now, change, losses);
          const whole = portfolioTail(losses, createPortfolioWorkspace(sheet.scenarios));
          expect(var99Usd).toBe(whole.var99Usd);
          // Where the tail is flat, rounding puts the one above the other.
          expect(Math.max(shortfallUsd, var99Usd)).toBe(whole.expectedShortfall99Usd);
        },
      ),
    );
  });

  it("forget the rows' extremes with their draw, and read every scenario of an odd number", () => {
    const random = createRandom(5);
    const columns = Array.from({ length: 2 }, () =>
      Float64Array.from({ length: 4001 }, () => Math.fround(0.04 * random.normal())),
    );
    columns[0]![4000] = Math.fround(-0.9);
    const odd = createPortfolioWorkspace(4001);
    for (const given of [sheetOfReturns(columns), sheetOfReturns([...columns].reverse())]) {
      for (const notionalUsdSigned of [-3, 50, 5_000]) {
        const losses = new Float64Array(4001);
        fillPortfolioLosses(given, [{ row: 1, notionalUsdSigned: 100 }], losses);
        const candidates = createTailCandidates(4001, odd.arena);
        bookTail(given, [{ row: 1, notionalUsdSigned: 100 }], null, candidates, odd);
        const change = { row: 0, notionalUsdSigned };
        const var99Usd = reducedVar99Usd(given, change, candidates, odd);
        const expectedShortfall99Usd = trialShortfall99Usd(given, change, 0, candidates, odd);

        addPositionLosses(given, change, losses);
        const whole = portfolioTail(losses, createPortfolioWorkspace(4001));
        expect(whole).toMatchObject({ var99Usd, expectedShortfall99Usd });
      }
    }
  });
});

describe("correlationDriftScale", () => {
  it("is 1 for books of one direction and stays within [0.8, 1.3]", () => {
    fc.assert(
      fc.property(book, (positions) => {
        const scale = correlationDriftScale(sheet, positions, workspace.products, workspace.drift);
        const isOneSided = positions.every(({ notionalUsdSigned }) => notionalUsdSigned > 0);
        if (isOneSided) expect(scale).toBe(1);
        expect(scale).toBeGreaterThanOrEqual(0.8);
        expect(scale).toBeLessThanOrEqual(1.3);
      }),
    );
  });

  it("is what its definition gives, for the book and for the book with one row changed or gone", () => {
    const mixedSize = magnitude(1e-4, 1e7).chain((size) => fc.constantFrom(size, -size));
    const mixedBook = fc.array(
      fc.record<SheetPosition>({ row: fc.nat({ max: 3 }), notionalUsdSigned: mixedSize }),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(mixedBook, fc.nat(), fc.nat({ max: 3 }), mixedSize, (positions, pick, row, size) => {
        const { products, drift } = workspace;
        const removed = positions[pick % positions.length]!;
        const rest = positions.filter((position) => position !== removed);
        const removal = { row: removed.row, notionalUsdSigned: -removed.notionalUsdSigned };
        const change = { row, notionalUsdSigned: size };
        const changed = [...positions, change];
        const leftUsd = nettedByRow(rest).get(removed.row) ?? 0;
        const isLeftExact = leftUsd === 0 || Math.abs(leftUsd) > 1e-7 * Math.abs(removed.notionalUsdSigned);
        fc.pre(!losesDigits(rest) && isLeftExact);

        expect(correlationDriftScale(sheet, positions, products, drift)).toBeCloseTo(
          definedScale(positions),
          9,
        );
        const whole = rest.length === 0 ? 1 : definedScale(rest);
        expect(changedDriftScale(sheet, removal, products, drift)).toBeCloseTo(whole, 8);
        expect(changedDriftScale(sheet, change, products, drift)).toBeCloseTo(definedScale(changed), 8);
      }),
    );
  });

  it("keeps its digits where what goes was larger by far than what stays", () => {
    const { products, drift } = workspace;
    const hedge = [
      { row: 1, notionalUsdSigned: 1 },
      { row: 2, notionalUsdSigned: -1 },
    ];
    const large = [4e6, 6e6].map((notionalUsdSigned) => ({ row: 0, notionalUsdSigned }));
    correlationDriftScale(sheet, [...large, ...hedge], products, drift);

    const left = changedDriftScale(sheet, { row: 0, notionalUsdSigned: -1e7 }, products, drift);

    expect(left).toBeCloseTo(definedScale(hedge), 12);
    expect(left).not.toBeCloseTo(1, 5);
  });

  it("knows nothing of a row that the book before held and this one does not", () => {
    const { products, drift } = workspace;
    const held = [
      { row: 0, notionalUsdSigned: 1_000 },
      { row: 1, notionalUsdSigned: -900 },
    ];
    correlationDriftScale(sheet, [{ row: 0, notionalUsdSigned: 7_000 }, ...held.slice(1)], products, drift);
    correlationDriftScale(sheet, [...held, { row: 2, notionalUsdSigned: 5_000 }], products, drift);
    correlationDriftScale(sheet, held, products, drift);

    const added = { row: 2, notionalUsdSigned: 800 };

    expect(changedDriftScale(sheet, added, products, drift)).toBeCloseTo(definedScale([...held, added]), 9);
  });

  it("is of the window that is in force, whatever was asked of another", () => {
    const positions = [
      { row: 0, notionalUsdSigned: 1_000 },
      { row: 1, notionalUsdSigned: -900 },
    ];
    const others = [11, 12].map((seed) => testAsset(seed, { history: testHistory(seed, { loading: 0.1 }) }));
    const { sheet: other } = buildScenarioSheet(testInputs(78, others));
    const { products, drift } = workspace;
    for (const given of [sheet, other, sheet]) {
      const asNew = createPortfolioWorkspace(sheet.scenarios);
      const wanted = correlationDriftScale(given, positions, asNew.products, asNew.drift);
      expect(correlationDriftScale(given, positions, products, drift)).toBe(wanted);
    }
  });

  it("is the fourth root of the EWMA over the mean of p² for a book hedged fully", () => {
    const weights = [0, 1].map((row) => 1000 / sheet.days[row]!.sigma);
    const positions = [
      { row: 0, notionalUsdSigned: weights[0]! },
      { row: 1, notionalUsdSigned: -weights[1]! },
    ];
    const p = Array.from(
      { length: TEST_WINDOW },
      (_, hour) => 1000 * (residualsOf(sheet, 0)[hour]! - residualsOf(sheet, 1)[hour]!),
    );
    const mean = p.reduce((sum, value) => sum + value * value, 0) / TEST_WINDOW;
    const recent = p.reduce((ewma, value) => 0.97 * ewma + 0.03 * value * value, mean);
    expect(correlationDriftScale(sheet, positions, workspace.products, workspace.drift)).toBeCloseTo(
      (recent / mean) ** 0.25,
      9,
    );
  });
});

/** Whether a row's positions nearly cancel: what they leave has lost digits by either way. */
function losesDigits(positions: readonly SheetPosition[]): boolean {
  return [...nettedByRow(positions)].some(([row, usd]) => {
    const sizesUsd = positions.filter((position) => position.row === row).map((one) => one.notionalUsdSigned);
    return usd !== 0 && Math.abs(usd) < 0.01 * Math.max(...sizesUsd.map(Math.abs));
  });
}

function nettedByRow(positions: readonly SheetPosition[]): ReadonlyMap<number, number> {
  const nettedUsd = new Map<number, number>();
  for (const { row, notionalUsdSigned } of positions) {
    nettedUsd.set(row, (nettedUsd.get(row) ?? 0) + notionalUsdSigned);
  }
  return nettedUsd;
}

function definedScale(positions: readonly SheetPosition[]): number {
  const nettedUsd = nettedByRow(positions);
  return driftScaleByDefinition(
    [...nettedUsd.keys()].map((row) => residualsOf(sheet, row)),
    [...nettedUsd].map(([row, usd]) => usd * sheet.days[row]!.sigma),
    DRIFT_DECAY.value,
    DRIFT_SCALE_RANGE.value,
  );
}

function lossesOf(positions: readonly SheetPosition[]): Float64Array {
  const losses = new Float64Array(sheet.scenarios);
  fillPortfolioLosses(sheet, positions, losses);
  return losses;
}

function attributionOf(
  positions: readonly SheetPosition[],
): ReturnType<typeof portfolioAttribution> & { readonly driftScale: number } {
  return {
    ...portfolioAttribution(
      sheet,
      positions,
      null,
      createTailCandidates(sheet.scenarios, workspace.arena),
      workspace,
    ),
    driftScale: correlationDriftScale(sheet, positions, workspace.products, workspace.drift),
  };
}

function benefitOf(
  of: ScenarioSheet,
  { var99Usd }: PortfolioTail,
  positions: readonly SheetPosition[],
): number {
  const aloneUsd = positions.reduce((sum, position) => sum + standaloneVar99Usd(of, position), 0);
  return diversificationBenefitOf(var99Usd, aloneUsd);
}

function expectNear(actual: number, wanted: number, scale: number): void {
  expect(withinTolerance(actual, wanted, { rel: 0, abs: 1e-9 * Math.abs(scale) + 1e-9 })).toBe(true);
}

/** A sheet whose 24 h returns are given; in double precision, because the oracle's tolerance is finer than float32. */
function sheetOfReturns(columns: readonly Float64Array[]): ScenarioSheet {
  const n = columns[0]!.length;
  const rows = columns.length;
  const given: ScenarioSheet = {
    ...sheet,
    rows,
    scenarios: n,
    windowHours: n,
    days: columns.map(dayOf),
    pools: { tuples: new Float64Array(0), residuals: new Float32Array(rows * n).fill(1) },
  };
  expect(dayReturnsOf(given, rows - 1)[0]).toBeCloseTo(columns.at(-1)![0]!, 12);
  return given;
}

function dayOf(returns: Float64Array): SheetDay {
  const mean = returns.reduce((sum, value) => sum + value, 0) / returns.length;
  const at99 = buildHarrellDavisWeights(returns.length, 0.99);
  return {
    version: sheet.version,
    sigmaRatio: 1,
    returns: returns as unknown as Float32Array,
    sigma: Math.sqrt(returns.reduce((sum, value) => sum + (value - mean) ** 2, 0) / returns.length),
    longVar99: harrellDavisOfDescending(
      returns
        .map((value) => -value)
        .sort()
        .reverse(),
      at99,
    ),
    shortVar99: harrellDavisOfDescending(returns.slice().sort().reverse(), at99),
  };
}
