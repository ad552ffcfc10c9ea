import type { RiskFacts } from "../../src/risk/scoring/risk-facts.ts";

/** Straight lines through (x, y) points, level outside: written without the product's ramp. */
function line(points: readonly (readonly [number, number])[], x: number): number {
  const sorted = [...points].sort((a, b) => a[0] - b[0]);
  if (x <= sorted[0]![0]) return sorted[0]![1];
  for (let i = 1; i < sorted.length; i += 1) {
    const [x0, y0] = sorted[i - 1]!;
    const [x1, y1] = sorted[i]!;
    if (x <= x1) return (y0 * (x1 - x) + y1 * (x - x0)) / (x1 - x0);
  }
  return sorted.at(-1)![1];
}

const SEVERITY = [0, 0.4, 0.7, 1];
const severity = (anchors: readonly number[], x: number | null): number =>
  x === null
    ? 0.5
    : line(
        anchors.map((at, i) => [at, SEVERITY[i]!] as const),
        x,
      );

const floor = (points: readonly (readonly [number, number])[], x: number | null): number =>
  x === null ? 0 : line(points, x);

/** The score from its written rules, every anchor typed again: slow, and shares no line with the product. */
export function scoreByDefinition(f: RiskFacts): number {
  const paid = f.paidFundingShare > 0 ? 1 : 0;
  const utilization = f.isOpenInterestAtCap ? 1 : f.openInterestUtilization;
  const c = [
    Math.max(
      severity([0.02, 0.15, 0.5, 1.5], f.slippageSigmas),
      severity([0.05, 0.25, 0.6, 1], f.depthShare),
    ),
    Math.max(
      severity([0.001, 0.01, 0.05, 0.2], f.liquidationProbability),
      severity([6.71, 3.47, 2.02, 1.11], f.liquidationSigmas),
    ),
    paid *
      Math.max(
        severity([0.0005, 0.003, 0.01, 0.03], f.fundingDragFraction),
        line(
          [
            [3, 0],
            [10, 0.4],
          ],
          f.paidFundingShare * Math.abs(f.fundingZ ?? 0),
        ),
      ),
    severity([0.02, 0.15, 0.5, 1.5], f.impactSigmas),
    severity([0.05, 0.2, 0.45, 0.9], f.accountLossFraction),
    Math.max(
      severity([0.6, 0.8, 0.95, 1], utilization),
      severity([0.01, 0.05, 0.1, 0.2], f.openInterestShare),
    ),
  ];
  const w = [0.1, 0.35, 0.1, 0.05, 0.25, 0.15];

  let base = 0;
  let pairs = 0;
  for (let i = 0; i < 6; i += 1) {
    base += w[i]! * c[i]!;
    for (let j = i + 1; j < 6; j += 1) pairs += Math.sqrt(w[i]! * w[j]!) * c[i]! * c[j]!;
  }
  const regime = Math.min(0.1, (0.1 * f.stressedProbability + 0.3 * f.crisisProbability) * pairs);
  const compound = 100 * Math.min(1, base + 0.5 * pairs + regime);

  const isCritical =
    (f.slippageSigmas !== null && f.slippageSigmas >= 1.5) ||
    (f.slippageFraction !== null && f.slippageFraction >= 0.02) ||
    f.bookShare >= 1 ||
    (f.liquidationProbability !== null && f.liquidationProbability >= 0.2) ||
    f.poolLiquidationAdded >= 0.2 ||
    f.liquidationDistanceFraction <= 0.02 ||
    f.marginRatio >= 1 ||
    (utilization !== null && utilization >= 1);
  const floors = [
    isCritical ? 71 : 0,
    f.isMarketStale || f.isWalletStale || f.isWalletMissing || f.isCollateralUnknown ? 41 : 0,
    floor(
      [
        [0.5, 0],
        [1.5, 71],
        [5, 100],
      ],
      f.slippageSigmas,
    ),
    floor(
      [
        [0.007, 0],
        [0.02, 71],
        [0.1, 100],
      ],
      f.slippageFraction,
    ),
    floor(
      [
        [0.5, 0],
        [1, 71],
        [3, 100],
      ],
      f.bookShare,
    ),
    floor(
      [
        [0, 0],
        [0.01, 25],
        [0.05, 40],
        [0.2, 71],
        [0.5, 90],
        [1, 100],
      ],
      f.liquidationProbability,
    ),
    floor(
      [
        [0.01, 0],
        [0.05, 40],
        [0.2, 71],
        [0.5, 90],
        [1, 100],
      ],
      f.poolLiquidationAdded,
    ),
    floor(
      [
        [0, 100],
        [0.01, 85],
        [0.02, 71],
        [0.05, 0],
      ],
      f.liquidationDistanceFraction,
    ),
    floor(
      [
        [0.6, 0],
        [1, 71],
        [1.5, 100],
      ],
      f.marginRatio,
    ),
    floor(
      [
        [0.8, 0],
        [1, 71],
      ],
      utilization,
    ),
    f.adverseProbability === null ? 0 : advised(f.adverseProbability),
  ];
  return Math.min(f.isClose ? 30 : 100, Math.max(compound, ...floors));
}

function advised(p: number): number {
  const knots = [0.0005, 0.01, 0.05, 0.2, 0.5, 0.99].map((q) => Math.log(q / (1 - q)));
  const points = [0, 25, 40, 70, 90, 100];
  return line(
    knots.map((at, i) => [at, points[i]!] as const),
    Math.log(p / (1 - p)),
  );
}
