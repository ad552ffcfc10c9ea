import { describe, expect, it } from "vitest";
import { scenarioReader } from "../src/scenario-reader.ts";
import { buildScenarioSheet } from "../src/risk/scenarios/sheet-builder.ts";
import { SnapshotStore } from "../src/snapshot/snapshot-store.ts";
import { testAsset, testInputs } from "./support/scenarios.ts";

// Mutants killed: memory made at the first read, made for every sheet, kept for a sheet of another size.

describe("scenarioReader", () => {
  const { sheet } = buildScenarioSheet(testInputs(1, [testAsset(1), testAsset(2)]));

  it("gives the newest sheet, and null before the first", () => {
    const snapshots = new SnapshotStore();
    const read = scenarioReader(snapshots);
    expect(read()).toBeNull();
    snapshots.accept({ type: "sheet.published", sheet });
    expect(read()!.sheet).toBe(sheet);
    expect(read()).toBe(read());
  });

  it("makes the working memory when a sheet comes, and keeps it for sheets of its size", () => {
    const snapshots = new SnapshotStore();
    const read = scenarioReader(snapshots);
    let sizesRead = 0;
    const watched = {
      ...sheet,
      get windowHours() {
        sizesRead += 1;
        return sheet.windowHours;
      },
    };
    snapshots.accept({ type: "sheet.published", sheet: watched });
    const whenItCame = sizesRead;
    const first = read()!;
    expect(whenItCame).toBeGreaterThan(0);
    expect(sizesRead).toBe(whenItCame);

    snapshots.accept({ type: "sheet.published", sheet: { ...sheet, version: 2 } });
    expect(read()!.scratch).toBe(first.scratch);
    snapshots.accept({ type: "sheet.published", sheet: { ...sheet, windowHours: sheet.windowHours / 2 } });
    expect(read()!.scratch).not.toBe(first.scratch);
  });
});
