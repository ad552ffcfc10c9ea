import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { demoTable } from "../../src/cli/demo-table.ts";
import type { ValidateResponse } from "../../src/contracts/generated/types.ts";

const EXAMPLE = new URL(
  "../../schemas/examples/validate-response/valid-long-empty-wallet.json",
  import.meta.url,
);
const ANSWER = JSON.parse(readFileSync(EXAMPLE, "utf8")) as ValidateResponse;
const { meta, risk_score: score, recommendation, sizing } = ANSWER;

describe("demoTable", () => {
  it("shows a trade's numbers under their headings, and how far the mark has moved", () => {
    const row = { asset: meta.asset, answer: ANSWER, firstMarkPrice: meta.mark_price / 0.9 };

    const [headings, line] = demoTable([row], 200).split("\n");

    for (const name of ["asset", "mark", "VaR 99 24h", "score", "recommendation"])
      expect(headings).toContain(name);
    const shown = line!.split(/ {2,}/);
    expect(shown[0]).toBe(meta.asset);
    expect(Number(shown[1]!.replaceAll(",", ""))).toBeCloseTo(meta.mark_price, 1);
    expect(shown[2]).toBe("-10.00 %");
    expect(shown).toContain(score.toFixed(1));
    expect(shown).toContain(recommendation);
    expect(shown).toContain(`$${Math.round(sizing!.max_safe_size_usd).toLocaleString("en-US")}`);
    // Numbers end where their headings end.
    const endOf = (text: string, part: string): number => text.indexOf(part) + part.length;
    expect(endOf(line!, "-10.00 %")).toBe(endOf(headings!, "change"));
  });

  it("shows what an answer cannot say as a dash, and why there is no answer", () => {
    const answer: ValidateResponse = {
      ...ANSWER,
      slippage: { ...ANSWER.slippage, bps: null },
      liquidation: { ...ANSWER.liquidation, price: 0 },
      sizing: null,
      regime: null,
    };
    const refusal = { error: "unavailable", detail: "its history is still being read" } as const;

    const lines = demoTable(
      [
        { asset: "A", answer, firstMarkPrice: meta.mark_price },
        { asset: "B", refusal },
      ],
      200,
    ).split("\n");

    expect(lines[1]!.match(/–/g)).toHaveLength(4);
    expect(lines[2]).toMatch(/^B +its history is still being read$/);
  });

  it("is no wider than the terminal", () => {
    const rows = [{ asset: "A", answer: ANSWER, firstMarkPrice: 1 }];

    for (const line of demoTable(rows, 40).split("\n")) expect(line.length).toBeLessThanOrEqual(40);
  });

  it("is whole where nobody knows how wide that is", () => {
    const rows = [{ asset: "A", answer: ANSWER, firstMarkPrice: 1 }];
    const whole = demoTable(rows, 1_000);

    expect([demoTable(rows, 0), demoTable(rows, undefined)]).toEqual([whole, whole]);
  });
});
