import { describe, expect, it } from "vitest";
import { showProgress } from "../../src/cli/progress.ts";

function written(isTTY: boolean, fractions: readonly number[]): string {
  let text = "";
  const stream = {
    isTTY,
    write: (part: string | Uint8Array): boolean => {
      text += String(part);
      return true;
    },
  };
  const progress = showProgress("candles", stream);
  fractions.forEach(progress.show);
  progress.end();
  return text;
}

describe("showProgress", () => {
  it("changes one line at a terminal", () => {
    expect(written(true, [0, 0.126, 1])).toBe("\rcandles   0 %\rcandles  13 %\rcandles 100 %\n");
  });

  it("writes a line for every tenth into a log, and none twice", () => {
    expect(written(false, [0, 0.05, 0.1, 0.19, 0.45, 0.44, 1])).toBe(
      "candles  10 %\ncandles  40 %\ncandles 100 %\n",
    );
  });
});
