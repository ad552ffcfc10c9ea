import { afterEach, describe, expect, it, vi } from "vitest";
import { RecordsComplaints } from "../../src/records/records-complaints.ts";

// Mutants killed by hand: nothing logged; each failure logged; one kind keeping another from being logged.

describe("complaints about the records", () => {
  afterEach(() => vi.restoreAllMocks());

  it("are logged with their cause, each kind once in ten seconds", () => {
    let nowMs = 0;
    vi.spyOn(performance, "now").mockImplementation(() => nowMs);
    const logged: unknown[] = [];
    const [away, damaged] = [new Error("away"), new Error("damaged")];
    const complaints = new RecordsComplaints({ error: (facts: unknown) => logged.push(facts) });

    for (nowMs = 0; nowMs <= 20_000; nowMs += 500) {
      complaints.log("records.failed", away);
      if (nowMs === 9_500) complaints.log("records.unread", damaged);
    }

    const failed = { event: "records.failed", err: away };
    expect(logged).toEqual([failed, { event: "records.unread", err: damaged }, failed, failed]);
  });
});
