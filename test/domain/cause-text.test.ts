import { expect, it } from "vitest";
import { causeText, namedBy } from "../../src/domain/cause-text.ts";

it("says of a host with several addresses what each of them said, as the host says nothing", () => {
  const [six, four] = ["connect ECONNREFUSED ::1:5432", "connect ECONNREFUSED 127.0.0.1:5432"];
  const cause = new AggregateError([new Error(six), new Error(four)]);

  expect(causeText(cause)).toBe(`${six}, ${four}`);
  expect(namedBy("records", cause).message).toBe(`records: ${six}, ${four}`);
});
