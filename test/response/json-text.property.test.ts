import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FailedEntry } from "../../src/contracts/generated/types.ts";
import { tickerOf } from "../../src/domain/ids.ts";
import { answerJson, batchJson, jsonWithLatency, monitorJson } from "../../src/response/json-text.ts";
import { writeNumber } from "../../src/response/number-text.ts";
import { keepText, writeKept, writeString } from "../../src/response/string-text.ts";
import { SPARE_BYTES, TEXT_MEMORY } from "../../src/response/text-memory.ts";
import { rounded } from "../../src/response/units.ts";
import type { AssessedTrade, ValidateAnswer } from "../../src/response/validate-body.ts";
import { assess } from "../../src/risk/assess.ts";
import { assessAccount } from "../../src/risk/assess-account.ts";
import { WALLET, walletState } from "../support/builders.ts";
import { assessInputs } from "../support/market-arbitraries.ts";
import { plainBatch, plainMonitor, plainValidate } from "../support/plain-body.ts";

/**
 * The slow twin is JSON.stringify of bodies put together by hand. Mutants killed: a digit group swapped, zeros in the
 * middle dropped, a number without decimals given a point, numbers below 1e-6 without exponent, minus lost, large numbers
 * not rounded, ten decimals taken as the shortest text from 2^19 on, leading zeros
 * written, a group of digits begun a number too late; control characters let through; an optional block
 * written as absent or with its comma missing; of large numbers the half gap not grown with the number, only the lower
 * side looked at, the nearer of two ends not taken, or the odd one; a kept text without its last word, or under the next, or of
 * another index, or in the place of another, or across the next one's; one kept that was put aside;
 * no look at the room that is left, a piece not copied, the text before a long string lost, pieces of a text that failed
 * left to the next; the latency asked for before the text is written.
 */
describe("writeNumber", () => {
  const view = new DataView(TEXT_MEMORY);
  const text = (x: number): string => {
    view.setFloat64(0, x, true);
    return textWritten(writeNumber(0));
  };
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
    // Next to where the rounding, the splitting of digits and the form of the text change.
    fc
      .tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.constantFrom(-1, 0, 1))
      .map(([n, off]) => (n + 0.5) / 1e10 + off * 2 ** -60),
    fc
      .tuple(fc.integer({ min: 0, max: 60_000_000 }), fc.integer({ min: -3, max: 3 }))
      .map(([n, off]) => n / 100 + off / 1e10),
    fc.double({ min: 2 ** 52 / 1e10 - 1e-3, max: 2 ** 52 / 1e10 + 1e-3 }),
    fc.double({ min: 2 ** 19 - 1e-3, max: 2 ** 19 + 1e-3 }),
    fc.constantFrom(0.5, 1.5, 9999.5).map((n) => n / 1e10 - 2 ** -87),
    fc.double({ min: 900_719, max: 900_720 }),
    fc.double({ min: -3e-6, max: 3e-6 }),
  );

  it("rounds to ten decimals, and no number for which these are finer than doubles", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e6, max: 1e15, noNaN: true }), (x) => {
        expect([rounded(x), rounded(-x)]).toEqual([x, -x]);
      }),
    );
    expect([1.23456789012, -0.00000000004, 2.5].map(rounded)).toEqual([1.2345678901, -0, 2.5]);
  });

  it("writes every number, rounded, as JSON.stringify does", () => {
    fc.assert(
      fc.property(anyNumber, (x) => {
        expect(text(x)).toBe(JSON.stringify(rounded(x)));
      }),
      { numRuns: 20_000 },
    );
  });

  it("splits integers by a product that is exact wherever it is used", () => {
    let wrong = 0;
    for (let tenths = 1; tenths <= 2 ** 19 * 10 + 1; tenths++) {
      const first = tenths * 1e9;
      if (((first * 1e-9) | 0) !== tenths || (((first - 1) * 1e-9) | 0) !== tenths - 1) wrong++;
    }

    expect(wrong).toBe(0);
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
        expect(text(x)).toBe(JSON.stringify(rounded(x)));
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
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: delicate, maxLength: 99, size: "max" })),
        (value) => {
          // The second time it may be one that is kept.
          for (const at of [0, 77]) {
            const text = textWritten(writeString(value, at)).slice(at);
            expect(JSON.parse(text)).toBe(value);
            if (/^[\x20-\x7e]*$/.test(value)) expect(text).toBe(JSON.stringify(value));
          }
        },
      ),
    );
  });

  it("writes each text as itself when more come than are kept", () => {
    const piece = keepText(0, writeString("a piece that stays", 0))!;
    const texts = Array.from({ length: 700 }, (_, i) => `text ${i} `.repeat(2 + (i % 40)));
    for (const text of [...texts, ...texts.slice(-100), ...texts.slice(0, 100)]) {
      expect(textWritten(writeString(text, 0))).toBe(JSON.stringify(text));
    }

    expect(textWritten(writeKept(piece, 0))).toBe(JSON.stringify("a piece that stays"));
  });
});

describe("keepText", () => {
  it("keeps a piece of the text, and none that was put aside while it was written", () => {
    const end = writeString("one of the texts", 40);
    const kept = keepText(40, end)!;

    expect(textWritten(writeKept(kept, 3)).slice(3)).toBe(JSON.stringify("one of the texts"));
    for (const [start, upTo] of [
      [end, 40],
      [end, end],
      [0, SPARE_BYTES],
    ] as const) {
      expect(keepText(start, upTo)).toBeUndefined();
    }
  });
});

describe("jsonWithLatency", () => {
  it("is the text of the whole body", () => {
    fc.assert(
      fc.property(assessInputs, fc.boolean(), fc.boolean(), (input, wantsMonteCarlo, wantsExplanation) => {
        const trade = answerTo({ ...input, trade: { ...input.trade, wantsMonteCarlo, wantsExplanation } });

        const text = textOf(jsonWithLatency(trade, () => 0.1235));

        expect(text).toBe(JSON.stringify(plainValidate({ ...trade, latencyMs: () => 0.1235 })));
      }),
    );
  });

  it("asks for the latency once, when nearly all is written", () => {
    const [trade] = fc.sample(assessInputs, { numRuns: 1, seed: 1 }).map(answerTo);
    const written: string[] = [];

    const text = textOf(
      jsonWithLatency(trade!, () => {
        written.push(textOf(new Uint8Array(TEXT_MEMORY, 0, 100_000)));
        return 7;
      }),
    );

    const before = text.slice(0, text.indexOf('"meta":'));
    expect(written).toHaveLength(1);
    expect(written[0]!.slice(0, before.length)).toBe(before);
    expect(text.length - before.length).toBeLessThan(400);
  });
});

describe("batchJson", () => {
  const failed = fc.string({ unit: "grapheme-ascii", maxLength: 60, size: "max" }).map(named);
  const results = fc.array(fc.oneof(assessInputs.map(answerTo).map(latelyAnswered), failed), {
    maxLength: 4,
  });

  it("is the text of every result", () => {
    fc.assert(
      fc.property(results, (entries) => {
        expect(textOf(batchJson(entries))).toBe(JSON.stringify(plainBatch(entries)));
      }),
    );
  });

  it("is as long as need be: beyond its memory by a byte or by much", () => {
    const [answer] = fc.sample(assessInputs, { numRuns: 1, seed: 1 }).map(answerTo).map(latelyAnswered);
    const entries = Math.ceil(TEXT_MEMORY.byteLength / JSON.stringify(plainValidate(answer!)).length);
    for (const count of [entries - 1, entries, 2 * entries]) {
      const many = Array.from({ length: count }, () => answer!);
      expectSameText(batchJson(many), plainBatch(many));
    }
    const fill = TEXT_MEMORY.byteLength - JSON.stringify({ results: [named("")] }).length;
    for (const length of [8192, 8193, SPARE_BYTES, fill - SPARE_BYTES, fill, fill + 1]) {
      const many = [answer!, named("x".repeat(length)), answer!];
      expectSameText(batchJson(many), plainBatch(many));
    }
  });

  it("has room for the longest escapes wherever the memory ends", () => {
    const filler = named("x".repeat(8192));
    // As many as end right before the room does, each with its comma.
    const room = TEXT_MEMORY.byteLength - SPARE_BYTES - '{"results":['.length;
    const fillers = Math.floor(room / (JSON.stringify(filler).length + 1));
    for (const length of [8192, 8193, 16_384]) {
      const many = [...Array.from({ length: fillers }, () => filler), named("é".repeat(length)), filler];
      expect(JSON.stringify(JSON.parse(textOf(batchJson(many)))) === JSON.stringify({ results: many })).toBe(
        true,
      );
    }
  });

  it("leaves no piece of its text to an answer from memory, nor to a monitor's", () => {
    const [input] = fc.sample(assessInputs, { numRuns: 1, seed: 1 });
    const trade = answerTo(input!);
    const repeated = { ...trade, repeated: { kept: null } };
    const held = { ...input!, account: walletState(), isMarketStale: () => false };
    const answer = { wallet: WALLET, assessment: assessAccount(held), stateAgeMs: 5 };
    const long = [named("x".repeat(10_000))];

    const texts = [1, 2].map(() => {
      expectSameText(batchJson(long), plainBatch(long));
      return textOf(answerJson(repeated, () => 7));
    });

    expect(texts).toEqual(Array(2).fill(textOf(jsonWithLatency(trade, () => 7))));
    expectSameText(batchJson(long), plainBatch(long));
    expect(textOf(monitorJson(answer))).toBe(JSON.stringify(plainMonitor(answer)));
  });

  it("begins anew after a text that could not be finished", () => {
    const [answer] = fc.sample(assessInputs, { numRuns: 1, seed: 1 }).map(answerTo).map(latelyAnswered);
    const broken = { ...answer!, latencyMs: () => fail() };

    expect(() => batchJson([named("x".repeat(10_000)), broken])).toThrow("broken");

    expect(textOf(batchJson([answer!]))).toBe(JSON.stringify(plainBatch([answer!])));
  });
});

describe("monitorJson", () => {
  it("is the text of the whole body", () => {
    fc.assert(
      fc.property(assessInputs, fc.double({ min: 0, max: 1e5, noNaN: true }), (input, stateAgeMs) => {
        const { viewOf, scenarios, isWalletStale } = input;
        const assessment = assessAccount({
          account: input.account ?? walletState(),
          viewOf,
          scenarios,
          isMarketStale: () => input.isMarketStale,
          isWalletStale,
        });
        const answer = { wallet: WALLET, assessment, stateAgeMs };

        expect(textOf(monitorJson(answer))).toBe(JSON.stringify(plainMonitor(answer)));
      }),
    );
  });
});

function answerTo(input: Parameters<typeof assess>[0]): AssessedTrade {
  return {
    assessment: assess(input),
    ticker: tickerOf("BTC"),
    requestId: "00000000-0000-4000-8000-000000000000",
    modelVersion: { engine_version: "0.1.0", calibration_hash: "a".repeat(64) },
  };
}

function latelyAnswered(trade: AssessedTrade): ValidateAnswer {
  return { ...trade, latencyMs: () => 0.25 };
}

function named(asset: string): FailedEntry {
  const meta = { asset, latency_ms: 0, request_id: "", error: "", error_code: "" };
  return { recommendation: "abort", flags: [], meta };
}

function fail(): never {
  throw new Error("broken");
}

/** Texts of megabytes are not compared by what prints their difference. */
function expectSameText(bytes: Uint8Array, body: object): void {
  expect(textOf(bytes) === JSON.stringify(body)).toBe(true);
}

function textWritten(end: number): string {
  return textOf(new Uint8Array(TEXT_MEMORY, 0, end));
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}
