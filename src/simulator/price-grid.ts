import { clamp } from "../math/clamp.ts";

/** The exchange's price and size rules, and its way of writing numbers. Source: exchange docs, "Tick and lot size". */

const PRICE_SIGNIFICANT_FIGURES = 5;
const PRICE_DECIMALS_MAX = 6;
/** Oracle prices show more figures than order prices may (115.035). */
const ORACLE_SIGNIFICANT_FIGURES = 6;

/** Exact powers, looked up: the grid is asked for several times a level. */
const POWERS_OF_TEN = Float64Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);

/** Grid steps per unit of price. */
export function gridScale(price: number, szDecimals: number): number {
  return POWERS_OF_TEN[priceDecimals(price, szDecimals)]!;
}

/** Decimals of the finest allowed price near `price`: at most 5 significant figures and 6 - szDecimals, integers free. */
export function priceDecimals(
  price: number,
  szDecimals: number,
  figures = PRICE_SIGNIFICANT_FIGURES,
): number {
  const byFigures = figures - 1 - Math.floor(Math.log10(price));
  return clamp(byFigures, 0, PRICE_DECIMALS_MAX - szDecimals);
}

export function tickSize(price: number, szDecimals: number): number {
  return 1 / gridScale(price, szDecimals);
}

/** Rounds to the decimal grid without the noise of binary fractions. */
export function roundTo(value: number, decimals: number): number {
  const scale = POWERS_OF_TEN[decimals]!;
  return Math.round(value * scale) / scale;
}

export function floorTo(value: number, decimals: number): number {
  const scale = POWERS_OF_TEN[decimals]!;
  return Math.floor(value * scale * (1 + Number.EPSILON)) / scale;
}

export function roundPrice(price: number, szDecimals: number): number {
  return roundTo(price, priceDecimals(price, szDecimals));
}

export function roundOraclePrice(price: number, szDecimals: number): number {
  return roundTo(price, priceDecimals(price, szDecimals, ORACLE_SIGNIFICANT_FIGURES));
}

/** Shortest text that reads back as the number, never with an exponent, integers with ".0" ("86010.0"). */
export function wireNumber(value: number): string {
  if (value === 0) return "0.0";
  const text = String(value);
  if (text.includes("e")) return expandExponent(text);
  return text.includes(".") ? text : `${text}.0`;
}

/** A USD amount or rate to at most the given decimals, as the exchange writes it. */
export function wireRounded(value: number, decimals: number): string {
  return wireNumber(roundTo(value, decimals));
}

function expandExponent(text: string): string {
  const [mantissa = "", exponentText = "0"] = text.split("e");
  const exponent = Number(exponentText);
  const sign = mantissa.startsWith("-") ? "-" : "";
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${whole}${fraction}`;
  return `${sign}${whole}${fraction}${"0".repeat(Math.max(0, exponent - fraction.length))}.0`;
}
