import { readdirSync, readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type {
  BatchResponse,
  MonitorResponse,
  ValidateResponse,
} from "../../src/contracts/generated/types.ts";
import { tickerOf } from "../../src/domain/ids.ts";
import { TEXT_MEMORY, writeNumber, writeString } from "../../src/response/json-bytes.ts";
import { batchJson, jsonWithLatency, monitorJson } from "../../src/response/json-text.ts";
import { rounded } from "../../src/response/units.ts";
import { validateBody } from "../../src/response/validate-body.ts";
import { assess } from "../../src/risk/assess.ts";
import { assessInputs } from "../support/market-arbitraries.ts";

/**
 * The slow twin is JSON.stringify. Mutants killed: a digit group swapped, zeros in the middle dropped, the exact check
 * left out, numbers below 1e-6 without exponent, minus lost, control characters let through, an optional block written
 * as absent or with its comma missing; of large numbers the half gap not grown with the number, only the lower side
 * looked at, the nearer of two ends not taken, or the odd one; a text beyond the memory sent as it is.
 */
describe("writeNumber", () => {
  const text = (x: number): string => textUpTo(writeNumber(x, 0));
  const mantissa = fc.bigInt({ min: 2n ** 52n, max: 2n ** 53n - 1n }).map(Number);
  const anyNumber = fc.oneof(
    fc.double(),
    fc.double({ min: -1e6, max: 1e6 }),
    fc.integer(),
    fc.double({ min: -2e5, max: 2e5, noNaN: true }).map(rounded),
    fc
      .tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 14 }))
      .map(([n, e]) => n / 10 ** e),
    fc.tuple(mantissa, fc.integer({ min: -80, max: 10 })).map(([m, e]) => m * 2 ** e),
    fc.integer({ min: 2 ** 30, max: 2 ** 51 }).map((n) => n / 1024),
    fc.tuple(mantissa, fc.integer({ min: 0, max: 12 })).map(([m, e]) => rounded(m / 10 ** e)),
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
    const around = [
      0,
      1e-7,
      1e-6,
      0.1,
      1,
      9,
      10,
      99,
      100,
      999,
      1000,
      9999,
      10_000,
      99_999,
      1e5,
      2 ** 19,
      1e6,
      1e8,
      1e9,
      2 ** 43,
      1e15,
      1e21,
    ];
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

        const text = textOf(jsonWithLatency(body, () => 0.12345));

        expect(text).toBe(JSON.stringify(body).replace('"latency_ms":0,', '"latency_ms":0.1235,'));
      }),
    );
  });
});

describe("batchJson and monitorJson", () => {
  it("write every published example so that it reads the same", () => {
    for (const example of examplesOf<BatchResponse>("batch-response")) {
      expect(JSON.parse(textOf(batchJson(example)))).toEqual(example);
    }
    for (const example of examplesOf<MonitorResponse>("monitor")) {
      expect(JSON.parse(textOf(monitorJson(example)))).toEqual(example);
    }
  });

  it("outgrow their memory by a byte or by much, and are written the slow way", () => {
    const [body] = fc.sample(assessInputs, { numRuns: 1, seed: 1 }).map(bodyOf);
    const entries = Math.ceil(TEXT_MEMORY.byteLength / JSON.stringify(body).length);
    for (const count of [entries - 1, entries, 2 * entries]) {
      const results = Array.from({ length: count }, () => body!);
      expect(textOf(batchJson({ results }))).toBe(JSON.stringify({ results }));
    }
    const fill = TEXT_MEMORY.byteLength - JSON.stringify({ results: [named("")] }).length;
    for (const length of [fill, fill + 1]) {
      const results = [named("x".repeat(length))];
      expect(textOf(batchJson({ results }))).toBe(JSON.stringify({ results }));
    }
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

function named(asset: string): BatchResponse["results"][number] {
  const meta = { asset, latency_ms: 0, request_id: "", error: "" };
  return { recommendation: "abort", flags: [], meta };
}

function textUpTo(end: number): string {
  return textOf(new Uint8Array(TEXT_MEMORY, 0, end));
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}

function examplesOf<T>(name: string): T[] {
  const folder = `schemas/examples/${name}`;
  return readdirSync(folder)
    .filter((file) => file.startsWith("valid-"))
    .map((file) => JSON.parse(readFileSync(`${folder}/${file}`, "utf8")) as T);
}
