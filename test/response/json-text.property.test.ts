import { readdirSync, readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type {
  BatchResponse,
  MonitorResponse,
  ValidateResponse,
} from "../../src/contracts/generated/types.ts";
import { tickerOf } from "../../src/domain/ids.ts";
import { textUpTo, writeNumber, writeString } from "../../src/response/json-bytes.ts";
import { batchJson, jsonWithLatency, monitorJson } from "../../src/response/json-text.ts";
import { rounded } from "../../src/response/units.ts";
import { validateBody } from "../../src/response/validate-body.ts";
import { assess } from "../../src/risk/assess.ts";
import { assessInputs } from "../support/market-arbitraries.ts";

/**
 * The slow twin is JSON.stringify. Mutants killed: a digit group swapped, zeros in the middle dropped, the exact check
 * left out, numbers below 1e-6 without exponent, minus lost, control characters let through, an optional block written
 * as absent or with its comma missing, growing without copying.
 */
describe("writeNumber", () => {
  const text = (x: number): string => textUpTo(writeNumber(x, 0));
  const anyNumber = fc.oneof(
    fc.double(),
    fc.double({ min: -1e6, max: 1e6 }),
    fc.integer(),
    fc.double({ min: -2e5, max: 2e5, noNaN: true }).map(rounded),
    fc
      .tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 14 }))
      .map(([n, e]) => n / 10 ** e),
  );

  it("writes every number as JSON.stringify does", () => {
    fc.assert(
      fc.property(anyNumber, (x) => {
        expect(text(x)).toBe(JSON.stringify(x));
      }),
      { numRuns: 20_000 },
    );
  });

  it("changes form where the text does", () => {
    const around = [0, 1e-7, 1e-6, 0.1, 1, 9, 10, 99, 100, 999, 1000, 9999, 10_000, 99_999, 1e5, 1e15, 1e21];
    for (const at of around) {
      for (const x of [at, at - 1e-10, at + 1e-10, at + 0.5, -at, -0]) {
        expect(text(x)).toBe(JSON.stringify(x));
        expect(text(rounded(x))).toBe(JSON.stringify(rounded(x)));
      }
    }
  });
});

describe("writeString", () => {
  const delicate = fc.constantFrom(
    "a",
    "\n",
    "\u0000",
    "\u001f",
    '"',
    "\\",
    "\u007f",
    "é",
    "\u2028",
    "😀",
    "\ud800",
  );

  it("writes ASCII as JSON.stringify does and the rest so that it reads the same", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: delicate, maxLength: 99 })), (value) => {
        const text = textUpTo(writeString(value, 0));
        expect(JSON.parse(text)).toBe(value);
        if (/^[\x20-\x7e]*$/.test(value)) expect(text).toBe(JSON.stringify(value));
      }),
    );
  });
});

describe("jsonWithLatency", () => {
  it("is the text of the body with the time it took in its place", () => {
    fc.assert(
      fc.property(assessInputs, fc.boolean(), fc.boolean(), (input, wantsMonteCarlo, wantsExplanation) => {
        const body = bodyOf({ ...input, trade: { ...input.trade, wantsMonteCarlo, wantsExplanation } });

        const text = jsonWithLatency(body, () => 0.12345);

        expect(text).toBe(JSON.stringify(body).replace('"latency_ms":0,', '"latency_ms":0.1235,'));
      }),
    );
  });
});

describe("batchJson and monitorJson", () => {
  it("write every published example so that it reads the same", () => {
    for (const example of examplesOf<BatchResponse>("batch-response")) {
      expect(JSON.parse(batchJson(example))).toEqual(example);
    }
    for (const example of examplesOf<MonitorResponse>("monitor")) {
      expect(JSON.parse(monitorJson(example))).toEqual(example);
    }
  });

  it("outgrow their memory", () => {
    const [body] = fc.sample(assessInputs, { numRuns: 1, seed: 1 }).map(bodyOf);
    const results = Array.from({ length: 300 }, () => body!);

    expect(batchJson({ results })).toBe(JSON.stringify({ results }));
  });
});

function bodyOf(input: Parameters<typeof assess>[0]): ValidateResponse {
  return validateBody(assess(input), {
    ticker: tickerOf("BTC"),
    requestId: "00000000-0000-4000-8000-000000000000",
    latencyMs: 0,
    modelVersion: { engine_version: "0.1.0", calibration_hash: "a".repeat(64) },
  });
}

function examplesOf<T>(name: string): T[] {
  const folder = `schemas/examples/${name}`;
  return readdirSync(folder)
    .filter((file) => file.startsWith("valid-"))
    .map((file) => JSON.parse(readFileSync(`${folder}/${file}`, "utf8")) as T);
}
