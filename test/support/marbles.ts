import { TestScheduler } from "rxjs/testing";
import { expect } from "vitest";

type Helpers = Parameters<Parameters<TestScheduler["run"]>[0]>[0];

/** Runs a body in RxJS's virtual time. */
export function marbles(body: (helpers: Helpers, scheduler: TestScheduler) => void): void {
  const scheduler = new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
  scheduler.run((helpers) => body(helpers, scheduler));
}
