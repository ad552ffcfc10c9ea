import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConnectProbe } from "../../../src/exchange/hyperliquid/connect-probe.ts";

// Mutants killed by hand: who got through still the one that tries, or who left; one that left, or inherited, still among
// those that wait.

const SOCKETS = ["a", "b", "c", "d"].map((name) => ({ name }));
const steps = fc.array(
  fc.record({
    act: fc.constantFrom("fail", "open", "leave"),
    socket: fc.constantFrom(...SOCKETS),
  }),
  { maxLength: 40 },
);

describe("the one that tries again for all", () => {
  it("is one of those that did not get through, whoever comes, leaves or gets through", () => {
    fc.assert(
      fc.property(steps, (list) => {
        const probe = new ConnectProbe();
        const told: string[] = [];
        let waiting: typeof SOCKETS = [];
        let prober: (typeof SOCKETS)[number] | null = null;
        for (const { act, socket } of list) {
          told.length = 0;
          let expected: typeof SOCKETS = [];
          if (act === "leave") {
            probe.leave(socket);
            waiting = waiting.filter((other) => other !== socket);
            if (prober === socket) {
              expected = waiting.splice(0, 1);
              prober = expected[0] ?? null;
            }
          } else if (!waiting.includes(socket)) {
            if (act === "open") {
              probe.opened();
              expected = waiting.splice(0);
              prober = null;
            } else {
              prober ??= socket;
              if (prober !== socket) waiting.push(socket);
              expect(probe.take(socket, () => told.push(socket.name))).toBe(prober === socket);
            }
          }
          expect(told).toEqual(expected.map(({ name }) => name));
        }
      }),
    );
  });
});
