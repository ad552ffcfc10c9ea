import type { Calibrated } from "../../domain/calibrated.ts";
import type { AssetClass, StressScenario } from "./stress-scenario.ts";
import { DATED_SCENARIOS } from "./stress-history.ts";

/** Moves of the four asset classes, in this order. */
const moves = (
  btc: number,
  eth: number,
  large: number,
  small: number,
): Readonly<Record<AssetClass, number>> => ({
  btc,
  eth,
  large,
  small,
});

/** The five named scenarios: shapes of market failure, sized by the events they are named after. */
const NAMED_SCENARIOS: readonly StressScenario[] = [
  {
    id: "jelly_squeeze",
    description: "A thin coin is squeezed to more than twice its price while the majors stand still",
    date: "2025-03-26",
    source: "Exchange announcement on JELLY (price above 4x); XPL 2025-08-26, +150 to 200 % in minutes",
    moves: moves(0.01, 0.01, 0.1, 1.5),
    isSystemic: false,
    coinMoves: {},
    fundingRateHourly: 0.002,
    isFundingAdverse: false,
    spreadMultiplier: 10,
    depthMultiplier: 0.1,
    horizonHours: 4,
  },
  {
    id: "luna_collapse",
    description: "A stablecoin fails and takes the market down over five days",
    date: "2022-05-07",
    source: "UST and LUNA, 2022-05-07 to 12: BTC -24 to -30 %, alts -50 %",
    moves: moves(-0.3, -0.35, -0.45, -0.55),
    isSystemic: true,
    coinMoves: {},
    fundingRateHourly: -0.0001,
    isFundingAdverse: false,
    spreadMultiplier: 5,
    depthMultiplier: 0.3,
    horizonHours: 120,
  },
  {
    id: "ftx_crash",
    description: "A large exchange fails; coins close to it fall by more than half",
    date: "2022-11-06",
    source: "FTX, 2022-11-06 to 10: BTC -22 to -25 %, ETH -30 %, SOL -55 to -60 %",
    moves: moves(-0.25, -0.3, -0.35, -0.4),
    isSystemic: true,
    coinMoves: { SOL: -0.58 },
    fundingRateHourly: -0.0003,
    isFundingAdverse: false,
    spreadMultiplier: 5,
    depthMultiplier: 0.3,
    horizonHours: 96,
  },
  {
    id: "short_squeeze",
    description: "Crowded shorts are closed by force and everything rises in a day",
    source: "hypothetical; 2023-01 and 2024-11 saw BTC +10 to +12 % and alts +20 to +40 % within a day",
    moves: moves(0.15, 0.2, 0.3, 0.5),
    isSystemic: true,
    coinMoves: {},
    fundingRateHourly: -0.0005,
    isFundingAdverse: false,
    spreadMultiplier: 3,
    depthMultiplier: 0.4,
    horizonHours: 24,
  },
  {
    id: "flash_recovery",
    description:
      "Books empty for minutes, prices fall through them and recover most of it within the hours after",
    date: "2025-10-10",
    source: "2025-10-10: lows of the minute against prices a day later; depth down by more than 90 %",
    moves: moves(-0.05, -0.06, -0.1, -0.2),
    excursions: moves(-0.15, -0.2, -0.35, -0.6),
    isSystemic: true,
    coinMoves: {},
    fundingRateHourly: -0.0005,
    isFundingAdverse: false,
    spreadMultiplier: 10,
    depthMultiplier: 0.1,
    horizonHours: 4,
  },
];

/** Every scenario, in the order of every per-asset shock array and of the answer. */
export const STRESS_SCENARIOS: readonly StressScenario[] = [...NAMED_SCENARIOS, ...DATED_SCENARIOS];

/**
 * What the table asserts in numbers, so that a changed scenario changes the calibration hash, which collects a file's
 * exports.
 *
 * @public
 */
export const STRESS_TABLE: Calibrated<readonly Omit<StressScenario, "description" | "date" | "source">[]> = {
  value: STRESS_SCENARIOS.map((scenario) => ({
    id: scenario.id,
    moves: scenario.moves,
    ...(scenario.excursions === undefined ? {} : { excursions: scenario.excursions }),
    isSystemic: scenario.isSystemic,
    coinMoves: scenario.coinMoves,
    fundingRateHourly: scenario.fundingRateHourly,
    isFundingAdverse: scenario.isFundingAdverse,
    spreadMultiplier: scenario.spreadMultiplier,
    depthMultiplier: scenario.depthMultiplier,
    horizonHours: scenario.horizonHours,
  })),
  unit: "fractions of price, hourly rates, multiples, hours",
  source: "each scenario names its own",
  fittedOn:
    "chosen 2026-11: moves peak to trough of the events, rounded; spread and depth from what was reported of them",
};
