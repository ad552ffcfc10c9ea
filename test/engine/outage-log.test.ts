import { expect, it } from "vitest";
import { outagesLogged } from "../../src/engine/outage-log.ts";

// Mutants killed by hand: the end as a warning; the beginning as information.

it("warns where an outage begins, and says without a warning that it has ended", () => {
  const lines: unknown[] = [];
  const log = outagesLogged({
    warn: (facts: unknown) => lines.push(["warn", facts]),
    info: (facts: unknown) => lines.push(["info", facts]),
  });

  log({ type: "outage.began", detail: "refused: HTTP 500" });
  log({ type: "outage.ended", failures: 3, durationMs: 5_000 });

  expect(lines).toEqual([
    ["warn", { event: "wallets.outage.began", detail: "refused: HTTP 500" }],
    ["info", { event: "wallets.outage.ended", failures: 3, durationMs: 5_000 }],
  ]);
});
