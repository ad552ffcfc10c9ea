import { isRecord } from "../../domain/json-value.ts";
import type { WireRecord } from "../hyperliquid/field-reader.ts";
import type { InfoRequest } from "../hyperliquid/transport.ts";

/** What the exchange keeps of a coin's candles, and the rows of one funding page. */
const CANDLES_MAX = 5000;
const FUNDING_PAGE_ROWS = 500;

/** The candles of a candleSnapshot request: of the newest 5000 recorded, those that open in the asked window. */
export function candleAnswer(rows: readonly WireRecord[], body: InfoRequest): readonly WireRecord[] {
  const request = isRecord(body["req"]) ? body["req"] : {};
  return rows
    .slice(-CANDLES_MAX)
    .filter((row) => isWithin(row["t"], request["startTime"], request["endTime"]));
}

/** The first page of settlements from the asked time on. */
export function fundingAnswer(rows: readonly WireRecord[], body: InfoRequest): readonly WireRecord[] {
  return rows
    .filter((row) => isWithin(row["time"], body["startTime"], body["endTime"]))
    .slice(0, FUNDING_PAGE_ROWS);
}

/** The coin that a history request names. */
export function historyCoin(body: InfoRequest): string {
  const request = isRecord(body["req"]) ? body["req"] : body;
  return typeof request["coin"] === "string" ? request["coin"] : "";
}

function isWithin(timeMs: unknown, fromMs: unknown, untilMs: unknown): boolean {
  if (typeof timeMs !== "number" || typeof fromMs !== "number" || timeMs < fromMs) return false;
  return typeof untilMs !== "number" || timeMs <= untilMs;
}
