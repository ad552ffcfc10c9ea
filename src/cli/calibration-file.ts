import { constantAfter, type Evidence, type FitFinding } from "../risk/calibration-fit/fit-finding.ts";
import type { FittedConstants } from "../risk/calibration/fitted-constants.ts";
import { FITTED } from "../risk/calibration/fitted-values.ts";

export type Findings = Readonly<Record<keyof FittedConstants, FitFinding>>;

const NAMES = Object.keys(FITTED) as (keyof FittedConstants)[];
const MODULE_HEAD = `// Written by \`npm run calibrate\`. Do not edit: a new calibration replaces the file whole.
import type { FittedConstants } from "./fitted-constants.ts";

/** Every constant that recorded data can speak for, with the data and the numbers behind it. */
export const FITTED: FittedConstants = `;
const MODULE_TAIL = ";\n";
/** Printed on one line. */
const LIST_OF_NUMBERS = /\[[^[\]{}"]*\]/g;
/** Digits that evidence is written with; values keep all of theirs. */
const EVIDENCE_DIGITS = 6;

/** The constants of the next calibration: fitted where that is clearly better, as they were otherwise. */
export function constantsAfter(findings: Findings, dateIso: string): FittedConstants {
  const entries = NAMES.map((name) => {
    const constant = constantAfter<unknown>(FITTED[name], findings[name], dateIso);
    return [name, { ...constant, evidence: rounded(knownOf(constant.evidence)) }];
  });
  return Object.fromEntries(entries) as Record<keyof FittedConstants, never>;
}

/** JSON, or the module that the service loads when the file's name ends in .ts. */
export function calibrationText(constants: FittedConstants, file: string): string {
  const json = JSON.stringify(constants, null, 2).replace(LIST_OF_NUMBERS, (list) =>
    list.replace(/\s+/g, " "),
  );
  return file.endsWith(".ts") ? `${MODULE_HEAD}${json}${MODULE_TAIL}` : `${json}\n`;
}

/** What was found, for people. */
export function reportText(findings: Findings): string {
  return NAMES.map((name) => {
    const { fitted, isAdopted, verdict, data, evidence } = findings[name];
    const lines = Object.entries(rounded(evidence)).map(([key, value]) => `    ${key}: ${shown(value)}`);
    return [
      `${name} (${FITTED[name].unit})`,
      `  in force ${shown(FITTED[name].value)}`,
      `  fitted   ${shown(fitted)}`,
      `  ${isAdopted ? "ADOPTED" : "kept"}: ${verdict}`,
      `  on ${data}`,
      ...lines,
    ].join("\n");
  }).join("\n\n");
}

/** Without the numbers that the data were too few for, which neither JSON nor the module can hold. */
function knownOf(evidence: Evidence): Evidence {
  const isKnown = (value: unknown): boolean => typeof value !== "number" || Number.isFinite(value);
  return Object.fromEntries(Object.entries(evidence).filter(([, value]) => [value].flat().every(isKnown)));
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, (_key, inner: unknown) => short(inner));
}

function rounded<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (_key, inner: unknown) => short(inner))) as T;
}

function short(value: unknown): unknown {
  return typeof value === "number" ? Number(value.toPrecision(EVIDENCE_DIGITS)) : value;
}
