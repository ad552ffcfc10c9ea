import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom, type Random } from "../../../../src/math/random.ts";
import { bookTail } from "../../../../src/risk/portfolio/tail/book-tail.ts";
import {
  liftBound,
  putBoundBack,
  type TailPosition,
} from "../../../../src/risk/portfolio/tail/met-losses.ts";
import { reducedVar99Usd, trialShortfall99Usd } from "../../../../src/risk/portfolio/tail/changed-risk.ts";
import { expectedShortfallOfDescending } from "../../../../src/risk/tails/expected-shortfall.ts";
import { fillPortfolioLosses, type SheetPosition } from "../../../../src/risk/portfolio/portfolio-losses.ts";
import { createPortfolioWorkspace, portfolioTail } from "../../../../src/risk/portfolio/portfolio-var.ts";
import {
  createTailCandidates,
  forgetCandidates,
  type TailCandidates,
} from "../../../../src/risk/portfolio/tail/tail-candidates.ts";
import { buildScenarioSheet } from "../../../../src/risk/scenarios/sheet-builder.ts";
import type { SheetDay } from "../../../../src/risk/scenarios/sheet-day.ts";
import { pathsLengthOf, type ScenarioSheet, sheetRow } from "../../../../src/risk/scenarios/sheet.ts";
import { addPositionLosses } from "../../../oracle/position-losses.ts";
import { testAsset, testInputs } from "../../../support/scenarios.ts";

const ROWS = 6;
const SCENARIOS = 4096;
const { sheet: small } = buildScenarioSheet(testInputs(5, [testAsset(1)]));

/** Fat-tailed returns with a common part, in so many steps a unit: losses of few steps tie. */
function sheetOf(seed: number, steps: number): ScenarioSheet {
  const random = createRandom(seed);
  const common = Array.from({ length: SCENARIOS }, () => fat(random.normal(), random.uniform()));
  const days = Array.from({ length: ROWS }, (_, row) => {
    const returns = Float32Array.from(common, (m) => {
      const own = fat(random.normal(), random.uniform());
      // The last row stands still but for jumps: a little of it carries scenarios from far behind into a tail.
      const isJump = random.uniform() < 0.02;
      const moved = row < ROWS - 1 ? (0.01 + 0.01 * row) * (0.7 * m + 0.7 * own) : isJump ? 0.8 * own : 0;
      const value = Math.max(-0.9, Math.min(3, moved));
      return Math.round(steps * value) / steps;
    });
    return dayOf(returns);
  });
  const pools = { tuples: new Float64Array(0), residuals: new Float32Array(0) };
  return { ...small, rows: ROWS, scenarios: SCENARIOS, days, pools, logPaths: pathsOf(days, random) };
}

/** Lows and highs of the day that are somewhat beyond its end, in either direction. */
function pathsOf(days: readonly SheetDay[], random: Random): Float32Array {
  const logPaths = new Float32Array(ROWS * pathsLengthOf(SCENARIOS));
  const sheet = { ...small, rows: ROWS, scenarios: SCENARIOS, logPaths };
  days.forEach(({ returns }, row) => {
    const lows = sheetRow(sheet, row, 24, "low");
    const highs = sheetRow(sheet, row, 24, "high");
    returns.forEach((value, s) => {
      lows[s] = Math.min(0, Math.log1p(value)) - 0.02 * random.uniform();
      highs[s] = Math.max(0, Math.log1p(value)) + 0.02 * random.uniform();
    });
  });
  return logPaths;
}

function fat(normal: number, uniform: number): number {
  return normal / Math.sqrt(0.3 + uniform);
}

function dayOf(returns: Float32Array): SheetDay {
  return { version: 1, sigmaRatio: 1, returns, sigma: 0.03, longVar99: 0, shortVar99: 0 };
}

const drawn = sheetOf(1, 1e9);
const tying = sheetOf(2, 512);
const coarse = sheetOf(3, 64);
const fine = sheetOf(4, 4096);
const workspace = createPortfolioWorkspace(SCENARIOS);
const reference = createPortfolioWorkspace(SCENARIOS);

const size = fc
  .constantFrom(1_000, 5_000, 20_000, 1e6)
  .chain((usd) => fc.constantFrom(usd, -usd, 1.03 * usd));
/** What is behind a position, of what it is worth, and how far from it its liquidation is. */
const margin = fc.record({
  share: fc.constantFrom(0, 0.005, 0.02, 0.05, 0.5),
  distance: fc.constantFrom(0, 0.03, 0.06, 0.12, 0.2, 0.3, null),
});
const position = fc
  .record({ row: fc.nat({ max: ROWS - 1 }), notionalUsdSigned: size, margin: fc.option(margin, { freq: 2 }) })
  .map(({ row, notionalUsdSigned, margin: behind }) => onMargin({ row, notionalUsdSigned }, behind));
function onMargin(
  { row, notionalUsdSigned }: SheetPosition,
  behind: { readonly share: number; readonly distance: number | null } | null,
): TailPosition {
  if (behind === null) return { row, notionalUsdSigned };
  const logBarrier = behind.distance === null ? null : -Math.sign(notionalUsdSigned) * behind.distance;
  const equityUsd = behind.share * Math.abs(notionalUsdSigned);
  return { row, notionalUsdSigned, bound: { equityUsd, logBarrier } };
}
const event = fc.oneof(
  fc.record({ kind: fc.constant("trade" as const), position, isKnown: fc.boolean() }),
  fc.record({ kind: fc.constant("fill" as const), position }),
  fc.record({ kind: fc.constant("close" as const), at: fc.nat() }),
  fc.record({
    kind: fc.constant("marks" as const),
    share: fc.constantFrom(1e-5, 1e-4, 3e-3, 0.03, 0.3),
    seed: fc.nat(),
  }),
  fc.record({
    kind: fc.constant("sigma" as const),
    row: fc.nat({ max: ROWS - 1 }),
    ratio: fc.constantFrom(0.8, 1.2),
  }),
  fc.record({ kind: fc.constant("draw" as const), sheet: fc.constantFrom(drawn, tying, coarse) }),
  fc.record({ kind: fc.constant("other wallet" as const) }),
  fc.record({
    kind: fc.constant("new wallet" as const),
    book: fc.array(position, { minLength: 1, maxLength: 8 }),
  }),
  fc.record({ kind: fc.constant("again" as const), turn: fc.nat() }),
  fc.record({
    kind: fc.constant("nudge" as const),
    row: fc.nat({ max: ROWS - 1 }),
    share: fc.constantFrom(1e-3, -3e-3, 0.01, -0.01, 0.03, 0.06),
  }),
  fc.record({
    kind: fc.constant("margin" as const),
    at: fc.nat(),
    margin: fc.option(margin, { freq: 1 }),
    isAlone: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("trials" as const), factor: fc.constantFrom(0.3, 0.98, 1.001, 1.02, 2.5) }),
);
const someBook = fc
  .tuple(fc.array(position, { minLength: 1, maxLength: 8 }), fc.boolean())
  .map(([book, isCross]) => (isCross ? book.map((held) => onMargin(held, null)) : book));

// Mutants killed: the pass over all left out, the slack of the bound left out, the traded row's change forgotten or not
// netted with the change, added candidates not inserted, without losses or not sorted, every tail believed, the reference
// or the book not netted by row, the guess of the tail's end believed, the other end of a row's extremes, a lane dropped,
// days not compared; of a kept order: losses that came in not inserted, few or many, its end believed, flags left,
// candidates added later not admitted, few or many, ties reversed or by slot where the buckets crowd, what shares the
// tail's last bucket lost, a guess that keeps too few believed; of what was compared: growth since left out, lows and
// highs exchanged, the change left out, believed whatever it says, later candidates not admitted, extremes of added
// candidates left out, a later column thought held before; of what was searched: always believed, the share not limited,
// the rest, either change's remainder or the slack left out, a margin claimed and not searched, a list believed that ends
// early; of a moved reference: the others' worst loss or the notionals left as they were, its losses moved the other way,
// its worst not made candidates, what was searched before believed, the bound of before kept, the trade added twice, never
// moved; of memory that another wallet takes over: its slots left taken, two columns given one row's returns; of bounds: where
// they are met not admitted, counted though lifted, not put back, lost or counted twice where candidates are added, tails
// that begin below the reference's left as they are, what was compared before a bound moved believed; of a row's steps: the
// last taken whole or not at all, those of another draw or of the other direction.

describe("bookTail, reducedVar99Usd and trialShortfall99Usd", () => {
  it("are what all scenarios say, to the last bit, whatever was asked before", () => {
    fc.assert(
      fc.property(
        someBook,
        someBook,
        fc.array(event, { maxLength: 16, size: "max" }),
        (first, second, events) => {
          let sheet = drawn;
          let trialScale = 1;
          let turn = 0;
          let wallets = [walletOf(first), walletOf(second)];
          for (const next of events) {
            const wallet = wallets[0]!;
            let traded: SheetPosition | null = null;
            let asked = wallet.book;
            if (next.kind === "other wallet") wallets = wallets.toReversed();
            if (next.kind === "new wallet") {
              forgetCandidates(wallet.candidates);
              asked = wallet.book = next.book;
            }
            if (next.kind === "draw") sheet = next.sheet;
            if (next.kind === "fill") asked = wallet.book = [...wallet.book, next.position];
            if (next.kind === "close" && wallet.book.length > 1)
              asked = wallet.book = wallet.book.toSpliced(next.at % wallet.book.length, 1);
            if (next.kind === "marks") {
              const random = createRandom(next.seed);
              asked = wallet.book = wallet.book.map((held) => ({
                ...held,
                notionalUsdSigned: held.notionalUsdSigned * (1 + next.share * (2 * random.uniform() - 1)),
              }));
            }
            if (next.kind === "sigma") {
              const day = dayOf(sheet.days[next.row]!.returns.map((value) => next.ratio * value));
              sheet = { ...sheet, days: sheet.days.with(next.row, day) };
            }
            if (next.kind === "trade") {
              traded = next.isKnown ? next.position : null;
              asked = [...wallet.book, next.position];
            }
            if (next.kind === "nudge") {
              const grossUsd = wallet.book.reduce((sum, held) => sum + Math.abs(held.notionalUsdSigned), 0);
              asked = [...wallet.book, { row: next.row, notionalUsdSigned: next.share * grossUsd }];
            }
            if (next.kind === "margin") {
              const at = next.at % wallet.book.length;
              const others = next.isAlone ? wallet.book.map((held) => onMargin(held, null)) : wallet.book;
              asked = wallet.book = others.with(at, onMargin(wallet.book[at]!, next.margin));
            }
            if (next.kind === "again") turn += next.turn;
            if (next.kind === "trials") trialScale *= next.factor;
            expectExact(sheet, asked, traded, wallet.candidates, trialScale, turn);
          }
        },
      ),
      { numRuns: 120 },
    );
  });

  it("puts scenarios that lose the same in their order, whatever order the reference had them in", () => {
    const held = [0, 1, 2].map((row) => ({ row, notionalUsdSigned: 1_000 }));
    const candidates = createTailCandidates(SCENARIOS, workspace.arena);
    bookTail(fine, held, null, candidates, workspace);
    const anchoredAt = candidates.restLossUsd;

    expectExact(fine, [...held, { row: 3, notionalUsdSigned: 500 }], null, candidates);

    expect(candidates.restLossUsd).toBe(anchoredAt);
  });

  it("puts scenarios that come to lose the same in their order, wherever in a kept tail they are", () => {
    // Two of every eight: the later of them loses more until the second row is held by 250, where both lose as much.
    for (let at = 0; at < 8; at++) {
      const first = new Float32Array(SCENARIOS);
      const second = new Float32Array(SCENARIOS);
      for (let scenario = 0; scenario < SCENARIOS; scenario++) {
        const isEarlier = scenario % 8 === at;
        const level = 0.75 - (scenario % 8 === (at + 1) % 8 ? scenario - 1 : scenario) / 8192;
        first[scenario] = isEarlier ? -level + 1 / 65536 : -level;
        second[scenario] = isEarlier ? -4 / 65536 : 0;
      }
      const days = drawn.days.with(0, dayOf(first)).with(1, dayOf(second));
      // Extremes are kept by draw, and this is another.
      const paired = { ...drawn, days, pools: { ...drawn.pools } };
      const candidates = createTailCandidates(SCENARIOS, workspace.arena);
      for (const notionalUsdSigned of [200, 250]) {
        const book = [
          { row: 0, notionalUsdSigned: 1_000 },
          { row: 1, notionalUsdSigned },
        ];
        expectExact(paired, book, null, candidates);
      }
    }
  });

  it("looks at the others again when a little of a jumping asset may carry one of them into the tail", () => {
    const random = createRandom(7);
    const held = [0, 1, 2, 3, 4].map((row) => ({ row, notionalUsdSigned: 10_000 }));
    for (let market = 0; market < 40; market++) {
      const jumps = Float32Array.from({ length: SCENARIOS }, () => (random.uniform() < 0.03 ? -0.5 : 0));
      const jumping = { ...drawn, days: drawn.days.with(ROWS - 1, dayOf(jumps)) };
      const candidates = createTailCandidates(SCENARIOS, workspace.arena);
      for (const notionalUsdSigned of [0, 200]) {
        const trade = { row: ROWS - 1, notionalUsdSigned };
        expectExact(jumping, [...held, trade], trade, candidates);
      }
    }
  });

  it("looks at all candidates again when what is behind a position comes, goes or moves", () => {
    const held = [0, 1, 2, 3, 4].map((row) => ({ row, notionalUsdSigned: row === 2 ? -10_000 : 10_000 }));
    const candidates = createTailCandidates(SCENARIOS, workspace.arena);
    let met = 0;
    for (const { row } of held) {
      for (const distance of [0.06, 0.12, 0.2]) {
        for (const share of [0, 2, 0.5]) {
          const bounded = held.with(row, onMargin(held[row]!, { share, distance }));
          for (const kept of [candidates, createTailCandidates(SCENARIOS, workspace.arena)]) {
            expectExact(drawn, bounded, null, kept);
            met += workspace.book.met.total;
            expectExact(drawn, held, null, kept);
          }
        }
      }
    }
    expect(met).toBeGreaterThan(100);
  });

  it("takes a book that loses the same everywhere, and one that cancels", () => {
    const nothing = [{ row: 0, notionalUsdSigned: 0 }];
    const cancelling = [
      { row: 1, notionalUsdSigned: 1_000 },
      { row: 1, notionalUsdSigned: -1_000 },
    ];
    for (const book of [nothing, cancelling]) {
      expectExact(drawn, book, null, createTailCandidates(SCENARIOS, workspace.arena));
    }
  });

  it("follows an account that grows trade by trade with the candidates that it has", () => {
    let book: readonly SheetPosition[] = Array.from({ length: ROWS - 1 }, (_, row) => ({
      row,
      notionalUsdSigned: row === 2 ? -10_000 : 10_000,
    }));
    const candidates = createTailCandidates(SCENARIOS, workspace.arena);
    bookTail(drawn, book, null, candidates, workspace);
    const { tail } = candidates;
    for (let trade = 0; trade < 24; trade++) {
      const grossUsd = book.reduce((sum, { notionalUsdSigned }) => sum + Math.abs(notionalUsdSigned), 0);
      const traded = {
        row: trade % (ROWS - 1),
        notionalUsdSigned: (trade % 3 === 2 ? -0.04 : 0.04) * grossUsd,
      };
      const asked = [...book, traded];
      const { moves } = candidates;
      expectExact(drawn, asked, traded, candidates, 1e-3);
      if (candidates.moves > moves) {
        for (const { row, referenceUsd } of candidates.columns) {
          const held = book.find((position) => position.row === row)?.notionalUsdSigned ?? 0;
          expect(Math.abs(referenceUsd - held)).toBeLessThan(1e-9 * grossUsd);
        }
      }
      book = netted(asked);
    }
    expect(candidates.tail).toBe(tail);
    expect(candidates.moves).toBeGreaterThan(5);
    expect(candidates.count).toBeLessThan(SCENARIOS / 3);
  });

  it("makes room for more positions than any book had before", () => {
    for (const count of [70, 200]) {
      const book = Array.from({ length: count }, (_, i) => ({ row: i % ROWS, notionalUsdSigned: 100 + i }));
      expectExact(drawn, book, null, createTailCandidates(SCENARIOS, workspace.arena));
    }
  });

  it("gives back the memory that it leaves, draw after draw and asset after asset", () => {
    const own = createPortfolioWorkspace(SCENARIOS);
    const { arena } = own;
    const wide = { ...drawn, rows: 40, days: Array.from({ length: 40 }, (_, i) => drawn.days[i % ROWS]!) };
    const book = wide.days.map((_, row) => ({ row, notionalUsdSigned: 1_000 + row }));
    const candidates = createTailCandidates(SCENARIOS, arena);
    const drawTimes = (draws: number): void => {
      for (let draw = 0; draw < draws; draw++) {
        forgetCandidates(candidates);
        bookTail(wide, book, null, candidates, own);
        for (const { row, notionalUsdSigned } of book) {
          reducedVar99Usd(wide, { row, notionalUsdSigned: -notionalUsdSigned }, candidates, own);
        }
      }
    };
    // Longer than anything that could have been given back, so that it lies where the memory in use ends.
    const atEnd = (): Float64Array => arena.doubles(100_000);
    drawTimes(2);
    const before = atEnd();

    drawTimes(20);

    expect(atEnd().byteOffset).toBe(before.byteOffset + before.byteLength);
  });

  it("reads a fifth of the scenarios of a book whose marks move and which trades a little", () => {
    const book = Array.from({ length: ROWS }, (_, row) => ({ row, notionalUsdSigned: 10_000 }));
    const candidates = createTailCandidates(SCENARIOS, workspace.arena);
    bookTail(drawn, book, null, candidates, workspace);
    const anchoredAt = candidates.restLossUsd;
    const moved = book.map(({ row }) => ({ row, notionalUsdSigned: 10_000 + 10 * row }));

    bookTail(drawn, [...moved, { row: 0, notionalUsdSigned: 500 }], null, candidates, workspace);

    expect(candidates.restLossUsd).toBe(anchoredAt);
    expect(candidates.count).toBeLessThan(SCENARIOS / 4);
  });
});

function netted(positions: readonly SheetPosition[]): readonly SheetPosition[] {
  const byRow = new Map<number, number>();
  for (const { row, notionalUsdSigned } of positions) {
    byRow.set(row, (byRow.get(row) ?? 0) + notionalUsdSigned);
  }
  return Array.from(byRow, ([row, notionalUsdSigned]) => ({ row, notionalUsdSigned }));
}

interface Wallet {
  book: readonly TailPosition[];
  readonly candidates: TailCandidates;
}

function walletOf(book: readonly TailPosition[]): Wallet {
  return { book, candidates: createTailCandidates(SCENARIOS, workspace.arena) };
}

/** The book, each position taken out, and each row changed by much and little, against a pass over all scenarios. */
function expectExact(
  sheet: ScenarioSheet,
  book: readonly TailPosition[],
  traded: SheetPosition | null,
  candidates: TailCandidates,
  trialScale = 1,
  turn = 0,
): void {
  const losses = new Float64Array(SCENARIOS);
  fillPortfolioLosses(sheet, book, losses);
  for (const held of book) addBehind(sheet, held, 1, losses);
  const wanted = portfolioTail(losses, reference);
  const { reach95 } = workspace;

  expect(bookTail(sheet, book, traded, candidates, workspace)).toEqual(wanted);
  const { indices } = reference.selection;

  const slots = workspace.book.order.subarray(0, reach95);
  expect(Uint32Array.from(slots, (slot) => candidates.scenarios[slot]!)).toEqual(
    indices.subarray(0, reach95),
  );

  const removals = book.map(({ row, notionalUsdSigned }) => ({ row, notionalUsdSigned: -notionalUsdSigned }));
  const trials = [300, -40_000, 2e6].map((usd, row) => ({ row, notionalUsdSigned: trialScale * usd }));
  const changes = [...removals, ...trials];
  for (let i = 0; i < changes.length; i++) {
    const at = (i + turn) % changes.length;
    const change = changes[at]!;
    const trial = at - removals.length;
    // What changes is counted in full.
    const inFull = trial < 0 ? at : book.findIndex(({ row }) => row === change.row);
    const changed = losses.slice();
    if (inFull >= 0) addBehind(sheet, book[inFull]!, -1, changed);
    addPositionLosses(sheet, change, changed);
    const { var99Usd } = portfolioTail(changed, reference);
    const shortfall = expectedShortfallOfDescending(reference.selection.values, SCENARIOS, 0.99);
    if (inFull >= 0) liftBound(inFull, candidates, workspace.book);
    if (trial < 0) {
      expect(reducedVar99Usd(sheet, change, candidates, workspace)).toBe(var99Usd);
    } else {
      const found = trialShortfall99Usd(sheet, change, trial, candidates, workspace);
      expect(found).toBe(shortfall);
    }
    if (inFull >= 0) putBoundBack(candidates, workspace.book);
  }
}

/** Puts what is behind a position in the place of what its price moves, in every scenario whose path meets its bound, or back. */
function addBehind(
  sheet: ScenarioSheet,
  { row, notionalUsdSigned, bound = null }: TailPosition,
  sign: 1 | -1,
  losses: Float64Array,
): void {
  if (bound === null || bound.logBarrier === null) return;
  const { returns, sigmaRatio } = sheet.days[row]!;
  const barrier = bound.logBarrier / sigmaRatio;
  const isLong = notionalUsdSigned > 0;
  const worst = sheetRow(sheet, row, 24, isLong ? "low" : "high");
  for (let s = 0; s < SCENARIOS; s++) {
    if (isLong ? worst[s]! > barrier : worst[s]! < barrier) continue;
    losses[s]! += sign * (bound.equityUsd + notionalUsdSigned * returns[s]!);
  }
}
