import { isRecord } from "../domain/json-value.ts";
import { err, type Result } from "../domain/result.ts";
import type { ClientUsage, ExchangeLimits } from "./connection-limits.ts";
import { type InfoFailure, type InfoWorld, MARKET_ANSWERS } from "./info-answers.ts";
import { WALLET_ANSWERS } from "./wallet-answers.ts";

export type InfoRefusal = InfoFailure | "over_budget";

/** Answers one info request, whichever way it came, and charges its weight to the client. */
export function answerInfo(
  request: unknown,
  world: InfoWorld,
  usage: ClientUsage,
  limits: ExchangeLimits,
  wallMs: number,
): Result<unknown, InfoRefusal> {
  if (!isRecord(request)) return err("unreadable");
  const { type } = request;
  const entry = typeof type === "string" ? infoAnswerOf(type) : undefined;
  if (entry === undefined) return err("unreadable");
  if (usage.weight.used(wallMs) + entry.weight > limits.weightPerMinute) return err("over_budget");
  const answer = entry.answer(request, world);
  const rows = answer.ok && Array.isArray(answer.value) ? answer.value.length : 0;
  usage.weight.add(
    wallMs,
    entry.weight + (entry.rowsPerWeight === undefined ? 0 : Math.ceil(rows / entry.rowsPerWeight)),
  );
  return answer;
}

function infoAnswerOf(type: string) {
  if (Object.hasOwn(MARKET_ANSWERS, type)) return MARKET_ANSWERS[type];
  return Object.hasOwn(WALLET_ANSWERS, type) ? WALLET_ANSWERS[type] : undefined;
}
