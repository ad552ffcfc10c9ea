import { createDependenceMemory, type DependenceMemory } from "./dependence/pair-dependence.ts";
import { type CandidateStore, createCandidateStore } from "./tail/candidate-store.ts";
import {
  createCrossLiquidationWorkspace,
  type CrossLiquidationWorkspace,
} from "./liquidation/cross-liquidation.ts";
import { forgetBounds } from "./tail/met-losses.ts";
import { createPortfolioWorkspace, type PortfolioWorkspace } from "./portfolio-var.ts";
import type { ScenarioSheet } from "../scenarios/sheet.ts";

/** Memory of portfolio calculations on sheets of one size, made once per thread and handed to every request. */
export interface PortfolioScratch {
  readonly workspace: PortfolioWorkspace;
  readonly crossLiquidation: CrossLiquidationWorkspace;
  readonly lossesUsd: Float64Array;
  readonly candidates: CandidateStore;
  /** Of the cross positions of wallets that hold isolated ones as well. */
  readonly crossCandidates: CandidateStore;
  readonly dependence: DependenceMemory;
}

export function createPortfolioScratch(
  sheet: ScenarioSheet,
  dependence = createDependenceMemory(sheet.windowHours),
): PortfolioScratch {
  const workspace = createPortfolioWorkspace(sheet.scenarios);
  return {
    workspace,
    crossLiquidation: createCrossLiquidationWorkspace(sheet),
    lossesUsd: new Float64Array(sheet.scenarios),
    candidates: createCandidateStore(sheet.scenarios, workspace.arena),
    crossCandidates: createCandidateStore(sheet.scenarios, workspace.arena),
    dependence,
  };
}

/** The joint scenarios and the memory to read them with. */
export interface ScenarioAccess {
  readonly sheet: ScenarioSheet;
  readonly scratch: PortfolioScratch;
}

/**
 * Lets go of what was found in the draw before, which would keep its sheet until accounts with positions are asked about
 * again: 80 MB with 230 assets. Dependence is let go of by who fits its pairs ahead.
 */
export function turnTo(sheet: ScenarioSheet, scratch: PortfolioScratch): void {
  const { products, extremes, steps, book } = scratch.workspace;
  products.of(sheet);
  extremes.lists.of(sheet);
  steps.of(sheet);
  scratch.crossLiquidation.limits.of(sheet);
  forgetBounds(book.met);
}
