import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  CALIBRATION,
  CALIBRATION_HASH,
  CALIBRATION_NAME,
  calibrationHashOf,
  calibrationNameOf,
  canonicalJson,
  type NamedConstant,
} from "../../../src/risk/calibration/calibration-hash.ts";
import { FITTED } from "../../../src/risk/calibration/fitted-values.ts";

const SOURCE_FOLDER = new URL("../../../src/", import.meta.url);

describe("calibration", () => {
  it("holds every constant that a file declares", () => {
    const collected = readFileSync(new URL("risk/calibration/calibration-hash.ts", SOURCE_FOLDER), "utf8");
    const forgotten = readdirSync(SOURCE_FOLDER, { recursive: true, encoding: "utf8" })
      // What judges or refits the models in hindsight moves no number of an answer.
      .filter((path) => !path.startsWith("risk/backtest/") && !path.startsWith("risk/calibration-fit/"))
      .filter((path) => path.endsWith(".ts") && !path.startsWith("contracts/"))
      .filter((path) =>
        /const \w+: Calibrated\b|satisfies .*Calibrated|= chosen\(/.test(declarationsOf(path)),
      )
      .filter((path) => !collected.includes(`from "${fromCalibration(path)}"`));

    expect(forgotten).toEqual([]);
    for (const [, constants] of CALIBRATION) expect(constants.length).toBeGreaterThan(0);
  });

  it("holds the choices that decide what is drawn and fitted, beside the thresholds", () => {
    const names = [...CALIBRATION].flatMap(([model, constants]) =>
      constants.map(({ name }) => `${model}.${name}`),
    );

    expect(names).toEqual(
      expect.arrayContaining([
        "correlation_drift.DRIFT_EXPONENT",
        "extreme_tail.EVT_THRESHOLD_CONFIDENCE",
        "liquidity_regime.REGIME_SHARES",
        "residual_borrowing.MARKET_LOADING_MAX",
        "residual_borrowing.OWN_HOURS_MIN",
        "residual_pool.POOL_WINDOW_HOURS",
        "scenario_paths.RESCALE_MAX",
        "scenario_paths.SCENARIO_SEED",
        "scenario_paths.SINGLE_ASSET_BLOCKS",
        "short_history.SHORT_HISTORY_WIDENING",
        "volatility.BAR_CONDITIONING",
        "volatility.HEXP_CRITERION",
        "volatility.LONG_RUN_GUARD",
        "volatility.PERSISTENCE_SUPREMUM",
      ]),
    );
  });

  it("gives every constant a finite value, a unit, a source and a date", () => {
    for (const [, constants] of CALIBRATION) {
      for (const { name, constant } of constants) {
        expect(canonicalJson(constant.value), name).not.toContain("null");
        for (const text of [constant.unit, constant.source]) expect(text, name).not.toBe("");
        expect(constant.fittedOn, name).toMatch(/\b20\d\d-\d\d\b/);
      }
    }
  });

  it("names each constant once per model", () => {
    for (const [, constants] of CALIBRATION) {
      expect(new Set(constants.map(({ name }) => name)).size).toBe(constants.length);
    }
  });
});

describe("the calibration's name", () => {
  it("is of the day of the newest fit in it", () => {
    const days = Object.values(FITTED).flatMap(
      ({ fittedOn }) => /^\d{4}-\d{2}-\d{2}(?=:)/.exec(fittedOn) ?? [],
    );

    expect(CALIBRATION_NAME).toBe(`fitted-${days.toSorted().at(-1)}`);
  });

  it("is a new one with a new fit, and not with a choice", () => {
    const never = Object.keys(FITTED).map((name) => [
      name,
      { fittedOn: "not fitted: chosen 2027-03-01: so" },
    ]);
    const fitted = Object.fromEntries(never) as typeof FITTED;
    const named = (fittedOn: string): string =>
      calibrationNameOf({
        ...fitted,
        fundingMeanHours: { fittedOn },
        pooledTouch: { fittedOn: "2027-01-31: days" },
      });

    expect(named("2027-02-01: settlements")).toBe("fitted-2027-02-01");
    expect(named("2026-12-31: settlements")).toBe("fitted-2027-01-31");
  });
});

describe("calibrationHashOf", () => {
  it("is a SHA-256 that any changed value or unit changes, and no explanation does", () => {
    expect(CALIBRATION_HASH).toMatch(/^[0-9a-f]{64}$/);
    expect(calibrationHashOf(CALIBRATION)).toBe(CALIBRATION_HASH);
    for (const [model, constants] of CALIBRATION) {
      constants.forEach(({ constant }, index) => {
        const changed = (change: object): string =>
          calibrationHashOf(new Map(CALIBRATION).set(model, replaced(constants, index, change)));

        expect(changed({ value: [constant.value, 0] })).not.toBe(CALIBRATION_HASH);
        expect(changed({ unit: `${constant.unit}!` })).not.toBe(CALIBRATION_HASH);
        expect(changed({ source: "another book", fittedOn: "another day" })).toBe(CALIBRATION_HASH);
      });
    }
  });

  it("does not depend on the order of an object's keys", () => {
    expect(canonicalJson({ b: [1, { d: 2, c: 3 }], a: null })).toBe('{"a":null,"b":[1,{"c":3,"d":2}]}');
  });
});

function replaced(constants: readonly NamedConstant[], index: number, change: object): NamedConstant[] {
  return constants.map((named, i) =>
    i === index ? { ...named, constant: { ...named.constant, ...change } } : named,
  );
}

/** How a file of the risk models is imported from the calibration's folder. */
function fromCalibration(path: string): string {
  return path.startsWith("risk/calibration/")
    ? path.replace("risk/calibration/", "./")
    : path.replace("risk/", "../");
}

/** Of a file: the lines that begin a constant. */
function declarationsOf(path: string): string {
  const text = readFileSync(new URL(path, SOURCE_FOLDER), "utf8");
  return text
    .split("\n")
    .filter((line) => /^(export )?const |^\} as const satisfies /.test(line))
    .join("\n");
}
