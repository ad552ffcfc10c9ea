import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spellingCheckOf } from "../../src/handlers/field-names.ts";

// Mutants killed by hand: a letter left out of a long name, or one too many, let through; swaps let through; case kept;
// the length of a short name one lower or higher; a doubled letter of a short name let through; any letter too many in
// a short name refused; what follows a swap not looked at; a field that is there compared too; distant letters swapped
// let through; a plural let through; other names let through.

const FIELDS = ["asset", "size", "leverage", "mode", "monte_carlo"];
/** Fields long enough that a name one edit away is no word of its own. */
const LONG_FIELDS = FIELDS.filter((name) => name.length > 4);

const misspeltFieldOf = spellingCheckOf(FIELDS);

describe("spellingCheckOf", () => {
  it.each(
    Object.entries({
      leverage:
        "leverge, leveragee, leverege, levreage, levarege, LEVERAGE, Leverage, l_everage, leverages, leverges, everage, lev",
      monte_carlo:
        "monteCarlo, monte-carlo, MonteCarlo, Monte Carlo, monte_calro, motne_carlo, monte_carl, monte_corla",
      mode: "Mode, MODE, mdoe, moed, omde, modde, modee, mmode, margin_mode, marginMode, marginType, tdMode, isCross, is_isolated",
      size: "Size, szie, isze, siez, sizze, size_",
      asset: "aset, assset, assets, asest, Asset",
    }).flatMap(([meant, names]) => names.split(", ").map((name) => [name, meant] as const)),
  )("takes %s for %s", (name, meant) => {
    expect(misspeltFieldOf({ [name]: 1 })).toEqual({ code: "misspelt_field", field: name, meant });
  });

  it.each(
    "model code node more mood made mod ode modes side sizes sine site seize price note tag class offset level szip coverage average vexerage velerago".split(
      " ",
    ),
  )("leaves %s alone", (name) => {
    expect(misspeltFieldOf({ [name]: 1 })).toBeUndefined();
  });

  it("takes a threshold misspelt for the thresholds", () => {
    for (const field of ["threshold", "treshold", "tresholds", "thresholdss"]) {
      expect(spellingCheckOf(["wallet", "thresholds"])({ [field]: {} })).toMatchObject({
        meant: "thresholds",
      });
    }
  });

  it("leaves alone what is near a field that is there, and what has no fields", () => {
    expect(misspeltFieldOf({ leverage: 2, leverge: 3, Leverage: 4 })).toBeUndefined();
    for (const body of [null, 1, "leverge", [], ["mode"]]) {
      expect(misspeltFieldOf(body)).toBeUndefined();
    }
  });

  it("catches any one letter left out, put in, exchanged or swapped in a name of five letters or more", () => {
    const slip = fc.constantFrom(...LONG_FIELDS).chain((meant) =>
      fc.record({
        meant: fc.constant(meant),
        at: fc.nat({ max: meant.length - 2 }),
        letter: fc.nat({ max: 25 }).map((i) => String.fromCharCode(97 + i)),
        kind: fc.constantFrom("out", "in", "exchanged", "swapped"),
      }),
    );
    fc.assert(
      fc.property(slip, ({ meant, at, letter, kind }) => {
        const [before, here, next, after] = [
          meant.slice(0, at),
          meant[at]!,
          meant[at + 1]!,
          meant.slice(at + 2),
        ];
        const name = {
          out: before + next + after,
          in: before + letter + here + next + after,
          exchanged: before + letter + next + after,
          swapped: before + next + here + after,
        }[kind];

        const expected = name === meant ? undefined : { code: "misspelt_field", field: name, meant };
        expect(spellingCheckOf(LONG_FIELDS)({ [name]: 1 })).toEqual(expected);
      }),
    );
  });
});
