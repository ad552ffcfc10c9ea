import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { outsideOf, type Stretch, withStretch } from "../../src/ingest/stretches.ts";

// Mutants killed by hand: touching stretches kept apart; the last of those touched not joined.

const stretch = fc
  .tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 6 }))
  .map(([fromMs, length]): Stretch => ({ fromMs, untilMs: fromMs + length }));

describe("stretches", () => {
  it("hold every moment that was added and no other, apart and ascending", () => {
    fc.assert(
      fc.property(fc.array(stretch, { maxLength: 12 }), (added) => {
        const stretches = added.reduce<readonly Stretch[]>(withStretch, []);

        expect([...momentsOf(stretches)]).toEqual([...momentsOf(added)].sort((a, b) => a - b));
        stretches.slice(1).forEach(({ fromMs }, i) => {
          expect(fromMs).toBeGreaterThan(stretches[i]!.untilMs);
        });
      }),
    );
  });

  it("leave of another what reaches from its first to its last moment outside of them", () => {
    fc.assert(
      fc.property(fc.array(stretch, { maxLength: 12 }), stretch, (added, asked) => {
        const held = momentsOf(added);
        const outside = [...momentsOf([asked])].filter((moment) => !held.has(moment));

        const found = outsideOf(added.reduce<readonly Stretch[]>(withStretch, []), asked);

        const expected = outside.length === 0 ? null : { fromMs: outside[0]!, untilMs: outside.at(-1)! + 1 };
        expect(found).toEqual(expected);
      }),
    );
  });
});

function momentsOf(stretches: readonly Stretch[]): ReadonlySet<number> {
  return new Set(
    stretches.flatMap(({ fromMs, untilMs }) =>
      Array.from({ length: untilMs - fromMs }, (_, i) => fromMs + i),
    ),
  );
}
