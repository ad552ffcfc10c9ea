import { HOUR_MS } from "../domain/bar.ts";
import type { LiveAsset } from "./live-asset.ts";
import { liquidationPrice, maintenanceMargin, marginTiersOf, rawForLiquidationAt } from "./margin-rules.ts";
import { roundPrice, roundTo } from "./price-grid.ts";
import type { PositionPlan, WalletPlan } from "./wallet-plans.ts";

const PORTFOLIO_MARGIN_RATIO_MAX = 0.95;

export interface AccountPosition {
  readonly asset: LiveAsset;
  readonly leverage: number;
  readonly isIsolated: boolean;
  sizeSigned: number;
  entryPrice: number;
  /** Signed cash leg of an isolated position; unused when cross. */
  isolatedRawUsd: number;
  /** Since it was opened. */
  fundingPaidUsd: number;
  readonly openedMs: number;
}

export interface FundingPayment {
  readonly timeMs: number;
  readonly coin: string;
  /** Negative is paid. */
  readonly usd: number;
  readonly sizeSigned: number;
  readonly rateHourly: number;
}

/** The cross account of a wallet at the marks of the moment. */
export interface CrossMargin {
  readonly accountValueUsd: number;
  readonly notionalUsd: number;
  readonly rawUsd: number;
  readonly marginUsedUsd: number;
  readonly maintenanceUsd: number;
}

export const positionNotional = (position: AccountPosition): number =>
  Math.abs(position.sizeSigned) * position.asset.markPrice;

export function positionMaintenance(position: AccountPosition): number {
  return maintenanceMargin(marginTiersOf(position.asset.spec.marginTableId), positionNotional(position));
}

/** Money and positions of one wallet. Spot USDC of unified and portfolio-margin wallets is its cross collateral. */
export class WalletAccount {
  readonly plan: WalletPlan;
  readonly positions = new Map<string, AccountPosition>();
  readonly fundings: FundingPayment[] = [];
  /** Cash leg of the cross account: accountValue = crossRawUsd + tokensUsd + Σ szi · mark. */
  crossRawUsd = 0;
  /** Tokens other than USDC that back the perpetuals: those of a portfolio-margin account. */
  #tokens: readonly { readonly asset: LiveAsset; readonly total: number }[] = [];
  /** No partial liquidation before this time. */
  cooldownUntilMs = 0;
  liquidatedMs: number | undefined;

  constructor(plan: WalletPlan) {
    this.plan = plan;
  }

  get usesSpotCollateral(): boolean {
    return this.plan.abstraction === "unifiedAccount" || this.plan.abstraction === "portfolioMargin";
  }

  open(assetOf: (coin: string) => LiveAsset | undefined, nowMs: number): void {
    this.positions.clear();
    // Of the new positions what they paid since they were opened is made again.
    this.fundings.length = 0;
    const { abstraction, cashUsd, spot = [] } = this.plan;
    const usdc = spot.find(({ coin }) => coin === "USDC");
    this.crossRawUsd = this.usesSpotCollateral ? (usdc?.total ?? 0) : cashUsd;
    this.#tokens = (abstraction === "portfolioMargin" ? spot : []).flatMap(({ coin, total }) => {
      const asset = assetOf(coin);
      return asset === undefined ? [] : [{ asset, total }];
    });
    this.liquidatedMs = undefined;
    for (const planned of this.plan.positions) {
      const asset = assetOf(planned.coin);
      if (asset !== undefined) this.#openPosition(planned, asset, nowMs);
    }
    this.rebalance();
  }

  /** Worth of the tokens other than USDC at the marks of the moment. */
  get tokensUsd(): number {
    return this.#tokens.reduce((sum, { asset, total }) => sum + total * asset.markPrice, 0);
  }

  #openPosition(planned: PositionPlan, asset: LiveAsset, nowMs: number): void {
    const mark = asset.markPrice;
    const { direction, notionalUsd, leverage } = planned;
    const sizeSigned = direction * roundTo(notionalUsd / mark, asset.spec.szDecimals);
    if (sizeSigned === 0) return;
    const entryPrice = roundPrice(
      mark / (1 + direction * (planned.gainFraction ?? 0)),
      asset.spec.szDecimals,
    );
    const position: AccountPosition = {
      asset,
      leverage,
      isIsolated: planned.isIsolated === true,
      sizeSigned,
      entryPrice,
      isolatedRawUsd: 0,
      fundingPaidUsd: 0,
      openedMs: nowMs - planned.openedHoursAgo * HOUR_MS,
    };
    if (position.isIsolated) {
      position.isolatedRawUsd = (Math.abs(sizeSigned) * entryPrice) / leverage - sizeSigned * entryPrice;
    } else {
      this.crossRawUsd -= sizeSigned * entryPrice;
    }
    this.#replayFunding(position);
    this.positions.set(planned.coin, position);
  }

  /** Funding the position has paid since it was opened, from the asset's settled hours; at most the newest 500. */
  #replayFunding(position: AccountPosition): void {
    const { asset, sizeSigned, openedMs } = position;
    for (const { timeMs, rateHourly } of asset.funding.settlements.slice(-500)) {
      if (timeMs <= openedMs) continue;
      const paid = sizeSigned * asset.candles.hour.closeAt(timeMs) * rateHourly;
      position.fundingPaidUsd += paid;
      this.fundings.push({ timeMs, coin: asset.spec.coin, usd: -paid, sizeSigned, rateHourly });
    }
    this.fundings.sort((a, b) => a.timeMs - b.timeMs);
  }

  /** Pays one hour's funding on every position: szi · oracle · rate, long pays when the rate is positive. */
  payFunding(timeMs: number, rateOf: (coin: string) => number | undefined): readonly FundingPayment[] {
    const payments: FundingPayment[] = [];
    for (const [coin, position] of this.positions) {
      const rateHourly = rateOf(coin);
      if (rateHourly === undefined) continue;
      const paid = position.sizeSigned * position.asset.oraclePrice * rateHourly;
      position.fundingPaidUsd += paid;
      if (position.isIsolated) position.isolatedRawUsd -= paid;
      else this.crossRawUsd -= paid;
      payments.push({ timeMs, coin, usd: -paid, sizeSigned: position.sizeSigned, rateHourly });
    }
    this.fundings.push(...payments);
    if (this.fundings.length > 4000) this.fundings.splice(0, 2000);
    return payments;
  }

  /** Owners that live on the edge move collateral so that the edge stays where the plan says. */
  rebalance(): void {
    const { crossLiquidationDistance: distance } = this.plan;
    for (const position of this.positions.values()) {
      const planned = this.plan.positions.find(({ coin }) => coin === position.asset.spec.coin);
      const wanted = position.isIsolated ? planned?.liquidationDistance : distance;
      if (wanted === undefined) continue;
      const liquidationAt = position.asset.markPrice * (1 - Math.sign(position.sizeSigned) * wanted);
      const raw = rawForLiquidationAt(
        marginTiersOf(position.asset.spec.marginTableId),
        position.sizeSigned,
        liquidationAt,
      );
      if (position.isIsolated) position.isolatedRawUsd = raw;
      else this.crossRawUsd = raw;
    }
  }

  get crossMargin(): CrossMargin {
    let notionalUsd = 0;
    let signedUsd = 0;
    let marginUsedUsd = 0;
    let maintenanceUsd = 0;
    for (const position of this.positions.values()) {
      if (position.isIsolated) continue;
      const notional = positionNotional(position);
      notionalUsd += notional;
      signedUsd += position.sizeSigned * position.asset.markPrice;
      marginUsedUsd += notional / position.leverage;
      maintenanceUsd += positionMaintenance(position);
    }
    const rawUsd = this.crossRawUsd + this.tokensUsd;
    return { accountValueUsd: rawUsd + signedUsd, notionalUsd, rawUsd, marginUsedUsd, maintenanceUsd };
  }

  /** Whether the liquidator may take the cross positions. Source: exchange docs, "Liquidations" and "Portfolio margin". */
  get isCrossLiquidatable(): boolean {
    const { accountValueUsd, maintenanceUsd } = this.crossMargin;
    const ratioMax = this.plan.abstraction === "portfolioMargin" ? PORTFOLIO_MARGIN_RATIO_MAX : 1;
    return ratioMax * accountValueUsd < maintenanceUsd;
  }

  /** Isolated: from its own cash leg; cross: from the account with the other positions' maintenance and marks fixed. */
  liquidationPriceOf(position: AccountPosition, cross: CrossMargin): number | undefined {
    const tiers = marginTiersOf(position.asset.spec.marginTableId);
    if (position.isIsolated) return liquidationPrice(tiers, position.sizeSigned, position.isolatedRawUsd);
    const othersMaintenanceUsd = cross.maintenanceUsd - positionMaintenance(position);
    const signedUsd = position.sizeSigned * position.asset.markPrice;
    return liquidationPrice(
      tiers,
      position.sizeSigned,
      cross.accountValueUsd - othersMaintenanceUsd - signedUsd,
    );
  }

  isolatedEquity(position: AccountPosition): number {
    return position.isolatedRawUsd + position.sizeSigned * position.asset.markPrice;
  }

  /** What is behind all isolated positions. */
  get isolatedEquityUsd(): number {
    let equityUsd = 0;
    for (const position of this.positions.values()) {
      if (position.isIsolated) equityUsd += this.isolatedEquity(position);
    }
    return equityUsd;
  }

  /** Moves a part of the position out at a price; leftover isolated margin returns to cross when it is gone. */
  reduce(position: AccountPosition, sizeBase: number, price: number): number {
    const side = Math.sign(position.sizeSigned);
    const closed = side * sizeBase;
    const closedPnlUsd = closed * (price - position.entryPrice);
    if (position.isIsolated) position.isolatedRawUsd += closed * price;
    else this.crossRawUsd += closed * price;
    position.sizeSigned = roundTo(position.sizeSigned - closed, position.asset.spec.szDecimals);
    if (position.sizeSigned === 0) {
      if (position.isIsolated) this.crossRawUsd += position.isolatedRawUsd;
      this.positions.delete(position.asset.spec.coin);
    }
    return closedPnlUsd;
  }
}
