import { describe, expect, it } from "vitest";
import { ASSETS_MAX, buildUniverse } from "../../src/simulator/simulated-universe.ts";

describe("buildUniverse", () => {
  const named = buildUniverse();
  const widest = buildUniverse(ASSETS_MAX);

  it("starts with the named assets, however many are asked for", () => {
    expect(widest.slice(0, named.length)).toEqual(named);
    expect(buildUniverse(3)).toEqual(named.slice(0, 3));
  });

  it("fills up with siblings that are live, thinner than their parent, and of a name of their own", () => {
    const siblings = widest.slice(named.length);

    expect(widest).toHaveLength(ASSETS_MAX);
    expect(new Set(widest.map(({ coin }) => coin)).size).toBe(ASSETS_MAX);
    for (const sibling of siblings) {
      const parent = named.find(({ coin }) => coin === sibling.coin.replace(/\d+$/, ""))!;
      expect(sibling.isDelisted).toBeUndefined();
      expect(sibling.depth50Usd).toBeGreaterThan(0);
      expect(sibling.depth50Usd).toBeLessThan(parent.depth50Usd);
    }
  });
});
