import { describe, expect, it } from "vitest";
import {
  calibrationText,
  constantsAfter,
  type Findings,
  reportText,
} from "../../src/cli/calibration-file.ts";
import { CALIBRATION, canonicalJson } from "../../src/risk/calibration/calibration-hash.ts";
import { FITTED } from "../../src/risk/calibration/fitted-values.ts";

const findings = Object.fromEntries(
  Object.entries(FITTED).map(([name, { value }]) => [
    name,
    {
      fitted: value,
      method: "as before",
      standardError: null,
      isAdopted: name === "impactCoefficient",
      verdict: "as it was",
      data: "nothing",
      evidence: { third: 1 / 3 },
    },
  ]),
) as unknown as Findings;

describe("a calibration file", () => {
  const constants = constantsAfter(findings, "2026-11-20");

  it("holds every fitted constant, with the evidence and the reason", () => {
    expect(Object.keys(constants)).toEqual(Object.keys(FITTED));
    expect(constants.impactCoefficient.fittedOn).toBe("2026-11-20: nothing; as it was");
    expect(constants.fundingPersistence).toEqual({
      ...FITTED.fundingPersistence,
      evidence: { third: 0.333333, judgedOn: "2026-11-20: nothing", kept: "as it was" },
    });
  });

  it("is told to people constant by constant: adopted or kept, and on what", () => {
    const told = reportText(findings).split("\n\n");

    expect(told.map((text) => text.split(" ")[0])).toEqual(Object.keys(FITTED));
    const { unit, value } = FITTED.impactCoefficient;
    const at = Object.keys(FITTED).indexOf("impactCoefficient");
    expect(told[at]!.split("\n")).toEqual([
      `impactCoefficient (${unit})`,
      `  in force ${String(Number(value.toPrecision(6)))}`,
      `  fitted   ${String(Number(value.toPrecision(6)))}`,
      "  ADOPTED: as it was",
      "  on nothing",
      "    third: 0.333333",
    ]);
    expect(told.filter((text) => text.includes("\n  kept: as it was\n")).length).toBe(told.length - 1);
  });

  it("leaves out evidence that the data were too few for, which the module cannot hold", () => {
    const evidence = {
      median: Number.NaN,
      errors: [0.1, Number.POSITIVE_INFINITY],
      gains: [1, 2],
      name: "a",
    };
    const lacking = { ...findings, rangeGarchPrior: { ...findings.rangeGarchPrior, evidence } };

    const { rangeGarchPrior } = constantsAfter(lacking, "2026-11-20");

    expect(rangeGarchPrior.evidence).toEqual({
      gains: [1, 2],
      name: "a",
      judgedOn: "2026-11-20: nothing",
      kept: "as it was",
    });
  });

  it("is JSON, or under another name the module that the service loads", () => {
    const json = calibrationText(constants, "calibration.json");
    const module = calibrationText(constants, "fitted-values.ts");

    expect(JSON.parse(json)).toEqual(constants);
    expect(module).toContain(json.trimEnd());
    expect(json).toMatch(/"value": \[ -?[\d.]+, -?[\d.]+ \],\n/);
    expect(module).toContain("export const FITTED: FittedConstants = {");
  });
});

describe("the fitted values in force", () => {
  it("are all read by a model, so that replacing the file changes the calibration's hash", () => {
    const inForce = canonicalJson(
      [...CALIBRATION.values()].map((constants) => constants.map(({ constant }) => constant.value)),
    );

    for (const [name, { value }] of Object.entries(FITTED)) {
      expect(inForce, name).toContain(canonicalJson(value));
    }
  });
});
