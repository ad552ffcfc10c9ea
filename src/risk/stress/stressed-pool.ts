import type { Position, WalletState } from "../../domain/account.ts";
import type { Ticker } from "../../domain/ids.ts";
import type { Direction } from "../../domain/trade.ts";
import { markOf, poolCashOf, positionMaintenanceUsd, type MarginView } from "../margin/account-margin.ts";
import type { StressScenario } from "./stress-scenario.ts";
import type { StressShocks } from "./stress-shocks.ts";
import { STRESS_SCENARIOS } from "./stress-scenarios.ts";

/** What stressing a position needs of its asset; an AssetView is one. */
export interface StressView extends MarginView {
  readonly stressShocks: StressShocks;
}

export type StressViewOf = (ticker: Ticker) => StressView | undefined;

/**
 * A margin pool under every scenario: the cross positions with their common cash, or one isolated position with its own.
 *
 * Shapes:  columns in the order of STRESS_SCENARIOS
 */
export interface StressedPool {
  readonly positionCount: number;
  /** At mark, before any shock. */
  readonly startEquityUsd: number;
  /** At the end of the scenario, its funding paid. */
  readonly equityUsd: readonly number[];
  readonly maintenanceUsd: readonly number[];
  readonly fundingUsd: readonly number[];
  /** Bit set: equity is at maintenance at the end or, where prices come back, at the worst moment before any funding. */
  readonly liquidatedIn: number;
}

/** Funding paid over the scenario as a fraction of notional at start; negative is received. */
export function stressFundingFraction(scenario: StressScenario, direction: Direction): number {
  const paid = scenario.fundingRateHourly * scenario.horizonHours;
  return scenario.isFundingAdverse ? Math.abs(paid) : direction * paid;
}

export const LONG_FUNDING = STRESS_SCENARIOS.map((scenario) => stressFundingFraction(scenario, 1));
export const SHORT_FUNDING = STRESS_SCENARIOS.map((scenario) => stressFundingFraction(scenario, -1));
/** The scenarios whose prices come back from their worst. */
const RETURNING = STRESS_SCENARIOS.flatMap(({ excursions }, i) => (excursions === undefined ? [] : [i]));
/** The same as a bit set. */
export const RETURNING_BITS = RETURNING.reduce((bits, i) => bits | (1 << i), 0);
const COUNT = STRESS_SCENARIOS.length;

/** Sums over a pool's positions while they are added up: at the end of each scenario, and at its worst moment. */
interface PoolSums {
  readonly equityUsd: number[];
  readonly maintenanceUsd: number[];
  readonly fundingUsd: number[];
  readonly worstEquityUsd: number[];
  readonly worstMaintenanceUsd: number[];
}

/**
 * The pool that carries a position, the account's cross positions or one isolated position, with every asset shocked at
 * once, tiers read at the shocked prices. An asset that is not known here keeps its price.
 */
export function stressedPoolOf(
  account: WalletState,
  isolated: Position | null,
  viewOf: StressViewOf,
): StressedPool {
  const cashUsd = poolCashOf(account, isolated);
  const sums = sumsFrom(cashUsd);
  let positionCount = 0;
  let valueUsd = 0;
  const { positions } = account;
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i]!;
    if (isolated === null ? position.marginMode !== "cross" : position !== isolated) continue;
    const view = viewOf(position.ticker);
    const markPrice = markOf(position, view);
    positionCount++;
    valueUsd += position.sizeBase * markPrice;
    addShocked(sums, position, markPrice, view);
  }
  const { equityUsd, maintenanceUsd, fundingUsd } = sums;
  for (let i = 0; i < COUNT; i++) equityUsd[i] = equityUsd[i]! - fundingUsd[i]!;
  return {
    positionCount,
    startEquityUsd: cashUsd + valueUsd,
    equityUsd,
    maintenanceUsd,
    fundingUsd,
    liquidatedIn: liquidatingScenarios(sums),
  };
}

/** A tie liquidates, and sums of round numbers end in ties: equity must exceed maintenance by more than rounding. */
const TIE_TOLERANCE = 1e-9;

export function exceedsMaintenance(equityUsd: number, maintenanceUsd: number): boolean {
  return equityUsd > maintenanceUsd * (1 + TIE_TOLERANCE);
}

/** Whether a pool, or a position, is still there after a scenario. */
export function survivesScenario(
  { liquidatedIn }: Pick<StressedPool, "liquidatedIn">,
  scenarioIndex: number,
): boolean {
  return (liquidatedIn & (1 << scenarioIndex)) === 0;
}

function sumsFrom(cashUsd: number): PoolSums {
  const equityUsd = new Array<number>(COUNT);
  const maintenanceUsd = new Array<number>(COUNT);
  const fundingUsd = new Array<number>(COUNT);
  const worstEquityUsd = new Array<number>(COUNT);
  const worstMaintenanceUsd = new Array<number>(COUNT);
  for (let i = 0; i < COUNT; i++) {
    equityUsd[i] = cashUsd;
    maintenanceUsd[i] = 0;
    fundingUsd[i] = 0;
    worstEquityUsd[i] = cashUsd;
    worstMaintenanceUsd[i] = 0;
  }
  return { equityUsd, maintenanceUsd, fundingUsd, worstEquityUsd, worstMaintenanceUsd };
}

/** Adds a position under every scenario; worst moments only where prices come back from them. */
function addShocked(
  { equityUsd, maintenanceUsd, fundingUsd, worstEquityUsd, worstMaintenanceUsd }: PoolSums,
  position: Position,
  markPrice: number,
  view: StressView | undefined,
): void {
  const { sizeBase } = position;
  const fractions = sizeBase > 0 ? LONG_FUNDING : SHORT_FUNDING;
  for (let i = 0; i < COUNT; i++) {
    const price = view === undefined ? markPrice : markPrice * (1 + view.stressShocks.moves[i]!);
    fundingUsd[i] = fundingUsd[i]! + fractions[i]! * Math.abs(sizeBase) * markPrice;
    equityUsd[i] = equityUsd[i]! + sizeBase * price;
    maintenanceUsd[i] = maintenanceUsd[i]! + positionMaintenanceUsd(position, price, view);
  }
  for (let k = 0; k < RETURNING.length; k++) {
    const i = RETURNING[k]!;
    const price = view === undefined ? markPrice : markPrice * (1 + view.stressShocks.excursions[i]!);
    worstEquityUsd[i] = worstEquityUsd[i]! + sizeBase * price;
    worstMaintenanceUsd[i] = worstMaintenanceUsd[i]! + positionMaintenanceUsd(position, price, view);
  }
}

function liquidatingScenarios(sums: PoolSums): number {
  let liquidatedIn = 0;
  for (let i = 0; i < COUNT; i++) {
    if (!exceedsMaintenance(sums.equityUsd[i]!, sums.maintenanceUsd[i]!)) liquidatedIn |= 1 << i;
  }
  for (let k = 0; k < RETURNING.length; k++) {
    const i = RETURNING[k]!;
    if (!exceedsMaintenance(sums.worstEquityUsd[i]!, sums.worstMaintenanceUsd[i]!)) liquidatedIn |= 1 << i;
  }
  return liquidatedIn;
}
