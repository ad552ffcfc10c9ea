import { describe, expect, it, vi } from "vitest";
import { err } from "../../../src/domain/result.ts";
import { settle } from "../../support/manual-timers.ts";
import { answered } from "../support/scripted-transport.ts";
import { addressOf, separateSpotOf, spotOf, walletBench } from "../support/wallet-bench.ts";

// Mutants tried: the fee awaited; the mode cached when it failed; fees paid for before states; a mode kept for ever, or
// asked for from what is left over; an outage that ends with the first success, or begins with a fee, or with what a close
// cuts off. Each fails below.

const WALLET = addressOf(1);
const MODE_WORDS: Readonly<Record<string, string>> = { unified: "unifiedAccount", standard: "disabled" };

describe("fetchWallet", () => {
  it("reads both accounts and the mode; the fee follows when it is known", async () => {
    const { wallets, transport } = walletBench();

    const first = await wallets.fetchWallet(WALLET);
    await settle();
    const second = await wallets.fetchWallet(WALLET);

    expect(first).toMatchObject({
      ok: true,
      value: { mode: "unified", crossCashUsd: 400, isCollateralKnown: true },
    });
    expect(second).toMatchObject({ ok: true, value: { takerFeeFraction: 0.00035 } });
    const types = transport.requests.map(({ type }) => type);
    expect(types.filter((type) => type === "userFees")).toHaveLength(1);
    expect(types.filter((type) => type === "userAbstraction")).toHaveLength(1);
    expect(types.filter((type) => type === "clearinghouseState")).toHaveLength(2);
  });

  it("dates a state by when its sides came, however long its mode is waited for", async () => {
    const { wallets, transport, timers } = walletBench();
    const cameAtMs = timers.nowMs();
    let answer: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (answer = resolve));
    const post = transport.postInfo.bind(transport);
    transport.postInfo = async (body, signal) => {
      if (body.type === "userAbstraction") await asked;
      return post(body, signal);
    };

    const fetched = wallets.fetchWallet(WALLET);
    await timers.advance(2_000);
    answer();

    expect(await fetched).toMatchObject({ ok: true, value: { mode: "unified", arrivedAtMs: cameAtMs } });
  });

  it("does not pay for the mode of an account without spot collateral", async () => {
    const { wallets, transport } = walletBench();
    const answers = transport.answers;
    const dust = { coin: "USDC", token: 0, total: "0.0", hold: "0.0", entryNtl: "0.0" };
    transport.answers = (body) =>
      body.type === "spotClearinghouseState" ? answered({ balances: [dust] }) : answers(body);

    expect(await wallets.fetchWallet(WALLET)).toMatchObject({
      ok: true,
      value: { mode: "standard", crossCashUsd: 100, isCollateralKnown: true },
    });
    expect(transport.requests.map(({ type }) => type)).not.toContain("userAbstraction");

    // Any other token may be collateral, and then the mode decides.
    const hype = { coin: "HYPE", token: 150, total: "3.0", hold: "0.0", entryNtl: "0.0" };
    transport.answers = (body) =>
      body.type === "spotClearinghouseState" ? answered({ balances: [dust, hype] }) : answers(body);
    expect(await wallets.fetchWallet(WALLET)).toMatchObject({ value: { mode: "unified" } });
  });

  it("does not wait for the fee", async () => {
    const { wallets, transport } = walletBench();
    const answers = transport.answers;
    transport.answers = (body) => (body.type === "userFees" ? "hang" : answers(body));
    expect(await wallets.fetchWallet(WALLET)).toMatchObject({ ok: true, value: { takerFeeFraction: null } });
  });

  it("does not pay for a refused fee with every state, and asks for it again ten minutes later", async () => {
    // The cache remembers the time for a millisecond of its own.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { wallets, transport, timers } = walletBench();
    const answers = transport.answers;
    let isDown = true;
    transport.answers = (body) =>
      body.type === "userFees" && isDown ? err({ code: "refused", detail: "x" }) : answers(body);
    const readFor = async (minutes: number): Promise<number> => {
      const before = transport.requests.length;
      for (let read = 0; read < 12 * minutes; read++) {
        vi.advanceTimersByTime(10);
        await wallets.fetchWallet(WALLET);
        await timers.advance(5_000);
      }
      return transport.requests.slice(before).filter(({ type }) => type === "userFees").length;
    };

    expect(await readFor(9)).toBe(1);
    isDown = false;
    expect(await readFor(2)).toBe(1);
    expect(await wallets.fetchWallet(WALLET)).toMatchObject({ value: { takerFeeFraction: 0.00035 } });
    vi.useRealTimers();
  });

  it("says that the collateral is not known when the spot account is refused, and asks for the mode again", async () => {
    const { wallets, transport } = walletBench();
    const answers = transport.answers;
    let isModeDown = true;
    transport.answers = (body) => {
      if (body.type === "spotClearinghouseState") return err({ code: "refused", detail: "x" });
      if (body.type === "userAbstraction" && isModeDown) return err({ code: "refused", detail: "x" });
      return answers(body);
    };

    expect(await wallets.fetchWallet(WALLET)).toMatchObject({
      ok: true,
      value: { mode: "unknown", isCollateralKnown: false },
    });
    isModeDown = false;
    expect(await wallets.fetchWallet(WALLET)).toMatchObject({
      ok: true,
      value: { mode: "unified", isCollateralKnown: false },
    });
  });

  it("takes an account of known mode that has emptied its spot side for what its perpetual side says", async () => {
    const { wallets, transport } = walletBench();
    const answers = transport.answers;
    await wallets.fetchWallet(WALLET);
    transport.answers = (body) =>
      body.type === "spotClearinghouseState" ? answered({ balances: [] }) : answers(body);

    expect(await wallets.fetchWallet(WALLET)).toMatchObject({
      ok: true,
      value: { crossCashUsd: 100, isCollateralKnown: true },
    });
  });

  it.each([
    [
      "unified",
      "disabled",
      spotOf("400.0"),
      separateSpotOf("400.0"),
      { mode: "unified", isCollateralKnown: false },
    ],
    [
      "standard",
      "unifiedAccount",
      separateSpotOf("400.0"),
      spotOf("400.0"),
      { mode: "unified", crossCashUsd: 400 },
    ],
  ])(
    "does not take a %s account that is another by now for one, and asks for its mode",
    async (...changed) => {
      // The cache remembers the time for a millisecond of its own.
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      const [before, after, spotBefore, spotAfter, meanwhile] = changed;
      const { wallets, transport, timers } = walletBench();
      const answers = transport.answers;
      let isChanged = false;
      transport.answers = (body) => {
        if (body.type === "userAbstraction") return answered(isChanged ? after : MODE_WORDS[before]);
        if (body.type === "spotClearinghouseState") return answered(isChanged ? spotAfter : spotBefore);
        return answers(body);
      };
      const readAfter = async (waitMs: number) => {
        vi.advanceTimersByTime(10);
        await timers.advance(waitMs);
        return wallets.fetchWallet(WALLET);
      };
      const modesAsked = (): number =>
        transport.requests.filter(({ type }) => type === "userAbstraction").length;

      expect(await readAfter(0)).toMatchObject({ value: { mode: before, isCollateralKnown: true } });
      isChanged = true;
      for (let read = 0; read < 5; read++)
        expect(await readAfter(60_000)).toMatchObject({ value: meanwhile });
      expect(modesAsked()).toBe(1);

      expect(await readAfter(300_000)).toMatchObject({
        value: {
          mode: after === "disabled" ? "standard" : "unified",
          crossCashUsd: after === "disabled" ? 100 : 400,
          isCollateralKnown: true,
        },
      });
      await readAfter(60_000);
      expect(modesAsked()).toBe(2);
      vi.useRealTimers();
    },
  );

  it.each(["default", null])("asks once an hour how one holds its collateral that says %j", async (said) => {
    const { wallets, transport, timers } = walletBench();
    const answers = transport.answers;
    let spot = spotOf("400.0");
    transport.answers = (body) => {
      if (body.type === "userAbstraction") return answered(said);
      return body.type === "spotClearinghouseState" ? answered(spot) : answers(body);
    };
    const readAfter = async (waitMs: number) => {
      await timers.advance(waitMs);
      return wallets.fetchWallet(WALLET);
    };

    for (let read = 0; read < 3; read++)
      expect(await readAfter(1_100_000)).toMatchObject({
        value: { mode: "unified", crossCashUsd: 400, isCollateralKnown: true },
      });
    spot = separateSpotOf("400.0");
    expect(await readAfter(1_000)).toMatchObject({
      value: { mode: "standard", crossCashUsd: 100, isCollateralKnown: true },
    });
    expect(transport.requests.filter(({ type }) => type === "userAbstraction")).toHaveLength(1);
  });

  it("spends no weight on fees that states need, and takes a fee that it cannot afford for no outage", async () => {
    const { wallets, transport, timers, outages } = walletBench(100);
    const answers = transport.answers;
    transport.answers = (body) =>
      body.type === "spotClearinghouseState" ? answered({ balances: [] }) : answers(body);

    const reads = Array.from({ length: 10 }, (_, i) => wallets.fetchWallet(addressOf(i + 1)));
    await timers.advance(5_000);

    expect((await Promise.all(reads)).every(({ ok }) => ok)).toBe(true);
    expect(transport.requests.filter(({ type }) => type === "userFees").length).toBeLessThan(10);
    expect(outages).toEqual([]);
  });

  it("asks for the mode from all the weight that there is, as for the state that waits for it", async () => {
    // Of 100 units a minute 70 may go to fees; each wallet takes 20 for its fee, 4 for its state, 20 for its mode.
    const { wallets, timers } = walletBench(100);
    for (const n of [1, 2]) {
      const read = wallets.fetchWallet(addressOf(n));
      await timers.advance(5_000);
      expect(await read).toMatchObject({ value: { mode: "unified", crossCashUsd: 400 } });
    }
  });

  it("asks for the mode and the fee again after an hour", async () => {
    // The cache remembers the time for a millisecond of its own.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { wallets, transport, timers } = walletBench();
    const readAfter = async (waitMs: number): Promise<readonly string[]> => {
      vi.advanceTimersByTime(10);
      await timers.advance(waitMs);
      const before = transport.requests.length;
      await wallets.fetchWallet(WALLET);
      await settle();
      return transport.requests.slice(before).map(({ type }) => type);
    };

    expect(await readAfter(0)).toEqual(expect.arrayContaining(["userFees", "userAbstraction"]));
    expect(await readAfter(3_500_000)).toHaveLength(2);
    expect(await readAfter(200_000)).toEqual(expect.arrayContaining(["userFees", "userAbstraction"]));
    timers.setBack(86_400_000);
    expect(await readAfter(0)).toHaveLength(2);
    expect(await readAfter(3_700_000)).toEqual(expect.arrayContaining(["userFees", "userAbstraction"]));
    vi.useRealTimers();
  });

  it("fails, in bounded time, when the perpetual account cannot be read", async () => {
    const { wallets, transport, timers } = walletBench();
    const answers = transport.answers;
    transport.answers = (body) => (body.type === "clearinghouseState" ? "hang" : answers(body));
    const read = wallets.fetchWallet(WALLET);
    await timers.advance(8_000);
    expect(await read).toMatchObject({ ok: false, error: { code: "timeout" } });
  });
});

describe("an outage of reads", () => {
  it("is told once, however many fail, and once when they succeed again", async () => {
    const { wallets, transport, timers, outages } = walletBench();
    const answers = transport.answers;
    const read = async (count: number): Promise<void> => {
      for (let i = 1; i <= count; i++) {
        void wallets.fetchWallet(addressOf(i));
        await timers.advance(5_000);
      }
    };
    await read(2);
    transport.answers = () => err({ code: "unreachable", detail: "HTTP 502" });
    await read(5);
    expect(outages).toEqual([{ type: "outage.began", detail: "unreachable: HTTP 502" }]);

    transport.answers = answers;
    await read(10);
    expect(outages.slice(1)).toMatchObject([{ type: "outage.ended" }]);
    transport.answers = (body) => (body.type === "spotClearinghouseState" ? answered("odd") : answers(body));
    await read(1);
    expect(outages[2]).toMatchObject({ type: "outage.began" });
  });

  it("is not what is cut off when all is closed", async () => {
    const { wallets, transport, timers, outages } = walletBench();
    transport.answers = () => "hang";
    const read = wallets.fetchWallet(WALLET);

    await wallets.close();
    await timers.advance(8_000);

    expect(await read).toMatchObject({ ok: false });
    expect(outages).toEqual([]);
  });

  it("is over half a minute after the last failure: a success before may be another account's", async () => {
    const { wallets, transport, timers, outages } = walletBench();
    const answers = transport.answers;
    const readAfter = async (waitMs: number, isThere: boolean): Promise<void> => {
      transport.answers = isThere ? answers : () => err({ code: "refused", detail: "no" });
      await timers.advance(waitMs);
      await wallets.fetchWallet(WALLET);
    };
    await readAfter(0, false);
    const failuresOfARead = 2;
    await readAfter(25_000, false);
    await readAfter(10_000, true);
    expect(outages).toHaveLength(1);

    await readAfter(20_000, true);

    const [, ended] = outages;
    expect(ended).toEqual({ type: "outage.ended", failures: 2 * failuresOfARead, durationMs: 25_000 });
  });

  it("is over, and lasted as long, as if the machine's clock had not been set back meanwhile", async () => {
    const { wallets, transport, timers, outages } = walletBench();
    const answers = transport.answers;
    transport.answers = () => err({ code: "refused", detail: "no" });
    await wallets.fetchWallet(WALLET);
    timers.setBack(7_200_000);
    await wallets.fetchWallet(WALLET);
    await timers.advance(10_000);
    await wallets.fetchWallet(WALLET);
    transport.answers = answers;

    await timers.advance(30_000);
    await wallets.fetchWallet(WALLET);

    expect(outages[1]).toMatchObject({ type: "outage.ended", durationMs: 10_000 });
  });

  it("lasted until its last failure, not until somebody asked again", async () => {
    const { wallets, transport, timers, outages } = walletBench();
    const answers = transport.answers;
    transport.answers = () => err({ code: "refused", detail: "no" });
    await wallets.fetchWallet(WALLET);
    transport.answers = answers;

    await timers.advance(28_800_000);
    await wallets.fetchWallet(WALLET);

    expect(outages[1]).toMatchObject({ type: "outage.ended", durationMs: 0 });
  });
});
