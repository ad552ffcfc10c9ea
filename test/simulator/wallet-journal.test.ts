import { expect, it } from "vitest";
import { WalletJournal, type WalletEvent } from "../../src/simulator/wallet-journal.ts";

it("gives each reader what came after its position, also once the oldest events are dropped", () => {
  const journal = new WalletJournal();
  const numbered = (timeMs: number): WalletEvent => ({
    kind: "funding",
    payments: [{ timeMs, coin: "BTC", usd: 1, sizeSigned: 1, rateHourly: 0 }],
  });
  const numbersSince = (position: number): readonly number[] =>
    journal
      .since(position)
      .flatMap((event) => (event.kind === "funding" ? event.payments : []).map(({ timeMs }) => timeMs));

  for (let number = 0; number < 3_500; number++) {
    const before = journal.end;
    journal.append(numbered(number));
    expect(numbersSince(before)).toEqual([number]);
  }

  expect(journal.end).toBe(3_500);
  expect(numbersSince(3_400)).toEqual(Array.from({ length: 100 }, (_, i) => 3_400 + i));
  // Who was away for longer goes on with the oldest that is kept.
  expect(numbersSince(1_950)).toEqual(Array.from({ length: 1_500 }, (_, i) => 2_000 + i));
});
