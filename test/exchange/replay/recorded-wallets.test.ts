import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { recordedWallets, RecordedWallets } from "../../../src/exchange/replay/recorded-wallets.ts";

const [WHALE] = recordedWallets();
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "recorded-wallets-"));
  writeFileSync(join(directory, WHALE!.file), JSON.stringify({ withdrawable: "5.0", time: 1 }));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

describe("RecordedWallets", () => {
  it("answers for a recorded account as if it were read now, however its address is written", () => {
    const wallets = new RecordedWallets(directory, undefined);

    for (const user of [WHALE!.address, WHALE!.address.toUpperCase().replace("0X", "0x")]) {
      expect(wallets.answer({ type: "clearinghouseState", user }, 77.5)).toEqual({
        ok: true,
        value: { withdrawable: "5.0", time: 77 },
      });
    }
  });

  it("answers for an account that was not recorded with an empty one", () => {
    const wallets = new RecordedWallets(directory, undefined);
    const user = `0x${"9".repeat(40)}`;

    expect(wallets.answer({ type: "clearinghouseState", user }, 77)).toMatchObject({
      ok: true,
      value: { assetPositions: [], withdrawable: "0.0", time: 77 },
    });
    expect(wallets.answer({ type: "userFees", user }, 77)).toMatchObject({
      ok: false,
      error: { code: "refused" },
    });
  });
});
