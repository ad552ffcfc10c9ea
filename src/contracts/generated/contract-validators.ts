// Generated from schemas/ by scripts/generate-contracts.ts. Do not edit: run `npm run generate`.
import type { ErrorObject } from "ajv";
import type { AlertConfig, BatchEnvelope, BatchTrade, OutcomeRequest, ValidateRequest } from "./types.ts";
import * as validators from "./validators.ts";

/** True for a value of the contract; otherwise errors holds the first violation until the next call. */
export interface ContractGuard<T> {
  (value: unknown): value is T;
  readonly errors?: readonly ErrorObject[] | null;
}

export const isValidateRequest = validators.isValidateRequest as unknown as ContractGuard<ValidateRequest>;
export const isBatchEnvelope = validators.isBatchEnvelope as unknown as ContractGuard<BatchEnvelope>;
export const isBatchTrade = validators.isBatchTrade as unknown as ContractGuard<BatchTrade>;
export const isOutcomeRequest = validators.isOutcomeRequest as unknown as ContractGuard<OutcomeRequest>;
export const isAlertConfig = validators.isAlertConfig as unknown as ContractGuard<AlertConfig>;
