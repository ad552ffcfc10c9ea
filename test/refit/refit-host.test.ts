import { readdirSync } from "node:fs";
import { getPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Bar, HOUR_MS } from "../../src/domain/bar.ts";
import { barColumnsOf, NO_BARS } from "../../src/domain/bar-columns.ts";
import { NICER } from "../../src/domain/thread-priority.ts";
import { inProcessRunner } from "../support/in-process-runner.ts";
import type { RefitRunner } from "../../src/refit/refit-runner.ts";
import { fitVolatilityJob, type VolatilityJob } from "../../src/refit/volatility-job.ts";
import { openRefitHost, type RefitHost } from "../../src/refit/refit-host.ts";
import type { VolatilityModel } from "../../src/risk/volatility/volatility-model.ts";
import { UNCORRECTED } from "../../src/risk/scenarios/sigma-recalibration.ts";
import { BTC, NOW_MS } from "../support/builders.ts";
import { createRandom } from "../../src/math/random.ts";

// Mutants killed by hand: crashed job never settled; worker not replaced; deadline not cleared; sheets queued last;
// close leaving the queue, or the fit posted ahead, unsettled; the record of forecasts ahead of a fit; first fits in the
// order of arrival; the fit posted ahead lost with its worker, or begun without a deadline.

const DEADLINE_MS = 20_000;
const SHEET_DEADLINE_MS = 40_000;
let host: RefitRunner | undefined;

const fakeTimers = (): void =>
  void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await host?.close();
});

/** A worker that does what the job's ticker says. */
const OBEDIENT = workerOf(`
  parentPort.on("message", (job) => {
    if (job.ticker === "CRASH") throw new Error("boom");
    if (job.ticker === "EXIT") process.exit(3);
    if (job.ticker === "HANG") return;
    if (job.ticker === "THREAD") return parentPort.postMessage({ ok: true, output: threadId });
    if (job.ticker === "FAIL") parentPort.postMessage({ ok: false, detail: "no fit" });
    else parentPort.postMessage({ ok: true, output: job.kind === "sheet" ? "sheet" : job.ticker });
  });
`);

describe("openRefitHost", () => {
  it("gives the same model as the function in place, through shared memory", async () => {
    host = open(new URL("../../dist/refit/refit-worker.js", import.meta.url));
    const job = volatilityJob(900);

    const [there, here] = await Promise.all([host.fitVolatility(job), inProcessRunner().fitVolatility(job)]);

    expect(here.ok && here.value?.model.kind).toBe("range-garch");
    expect(there).toEqual(here);
  });

  it.each([
    ["CRASH", "crashed"],
    ["EXIT", "crashed"],
    ["FAIL", "failed"],
  ])("fails a job that does %s as %s and goes on with the next", async (ticker, code) => {
    host = open(OBEDIENT);

    const [failed, next] = await Promise.all([
      host.fitVolatility({ ...volatilityJob(2), ticker: ticker as typeof BTC }),
      host.fitVolatility(volatilityJob(2)),
    ]);

    expect(failed).toMatchObject({ ok: false, error: { code } });
    expect(next).toEqual({ ok: true, value: BTC });
  });

  it("hears from its worker why a job failed, and has it do the next", async () => {
    host = open(new URL("../../dist/refit/refit-worker.js", import.meta.url));
    const unfit = { ...volatilityJob(2), bars: null } as unknown as VolatilityJob;

    expect(await host.fitVolatility(unfit)).toMatchObject({ ok: false, error: { code: "failed" } });
    expect((await host.fitVolatility(volatilityJob(2))).ok).toBe(true);
  });

  it.runIf(process.platform === "linux")(
    "makes its worker nicer, one that runs, one that has not begun to and one that comes later",
    async () => {
      const niceness = Math.min(19, getPriority(process.pid) + NICER.refit);
      const nicerThreads = (): number =>
        readdirSync("/proc/self/task").filter((thread) => getPriority(Number(thread)) === niceness).length;
      fakeTimers();
      for (const when of ["running", "beginning", "let go"]) {
        const yielding = (host = open(new URL("../../dist/refit/refit-worker.js", import.meta.url)));
        if (when !== "beginning") await host.fitVolatility(volatilityJob(2));
        if (when === "let go") vi.advanceTimersByTime(10_000);
        expect(nicerThreads()).toBe(0);

        yielding.yieldCores();

        if (when !== "running") await host.fitVolatility(volatilityJob(2));
        expect(nicerThreads()).toBe(1);
        await host.close();
      }
    },
  );

  it("takes a process that stood still for one look of many, not for a late job", () => {
    fakeTimers();
    host = open(OBEDIENT);
    const looks = vi.spyOn(globalThis, "setInterval");
    void host.fitVolatility({ ...volatilityJob(2), ticker: "HANG" as typeof BTC });
    const terminate = vi.spyOn(Worker.prototype, "terminate");
    // However long it stood still, the timer that is overdue runs once.
    const look = looks.mock.calls.at(-1)![0];

    for (let second = 1_000; second < DEADLINE_MS; second += 1_000) look();
    expect(terminate).not.toHaveBeenCalled();
    look();
    expect(terminate).toHaveBeenCalledOnce();
  });

  it("fails a job past its deadline, replaces the worker and goes on with the next", async () => {
    fakeTimers();
    host = open(OBEDIENT);
    const late = host.fitVolatility({ ...volatilityJob(2), ticker: "HANG" as typeof BTC });
    const next = host.fitVolatility(volatilityJob(2));
    const terminate = vi.spyOn(Worker.prototype, "terminate");

    vi.advanceTimersByTime(DEADLINE_MS);

    expect(terminate).toHaveBeenCalledOnce();
    expect(await late).toMatchObject({ ok: false, error: { code: "late" } });
    expect(await next).toEqual({ ok: true, value: BTC });
  });

  it("gives a sheet its own time", async () => {
    fakeTimers();
    host = open(OBEDIENT);
    const late = host.drawSheet({ ...SHEET_JOB, ticker: "HANG" } as typeof SHEET_JOB);

    vi.advanceTimersByTime(SHEET_DEADLINE_MS);

    const detail = `sheet job took over ${SHEET_DEADLINE_MS} ms`;
    expect(await late).toEqual({ ok: false, error: { code: "late", detail } });
  });

  it("gives a fit that was posted behind another its whole time", async () => {
    fakeTimers();
    host = open(OBEDIENT);
    const first = host.fitVolatility(volatilityJob(2));
    const hanging = host.fitVolatility({ ...volatilityJob(2), ticker: "HANG" as typeof BTC });
    vi.advanceTimersByTime(DEADLINE_MS - 1);
    expect(await first).toEqual({ ok: true, value: BTC });

    vi.advanceTimersByTime(DEADLINE_MS - 1);
    expect(await Promise.race([hanging, Promise.resolve("under way")])).toBe("under way");
    vi.advanceTimersByTime(1);

    const detail = `volatility job took over ${DEADLINE_MS} ms`;
    expect(await hanging).toEqual({ ok: false, error: { code: "late", detail } });
  });

  it("waits for one thing at a time: the end of a job, the end of idleness, nothing when it is closed", async () => {
    fakeTimers();
    host = open(OBEDIENT);

    await host.fitVolatility(volatilityJob(2));
    expect(vi.getTimerCount()).toBe(1);
    const second = host.fitVolatility(volatilityJob(2));
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(DEADLINE_MS - 1);
    expect(await second).toEqual({ ok: true, value: BTC });
    const terminate = vi.spyOn(Worker.prototype, "terminate");
    await host.close();

    expect(vi.getTimerCount()).toBe(0);
    expect(terminate).toHaveBeenCalledOnce();
  });

  it("lets a worker go that has had no work, and starts another for the next job", async () => {
    fakeTimers();
    host = open(OBEDIENT);
    const thread = async (): Promise<number> => {
      const answer = await host!.fitVolatility({ ...volatilityJob(2), ticker: "THREAD" as typeof BTC });
      return answer.ok ? Number(answer.value) : Number.NaN;
    };
    const first = await thread();
    vi.advanceTimersByTime(9_999);
    expect(await thread()).toBe(first);
    const terminate = vi.spyOn(Worker.prototype, "terminate");
    vi.advanceTimersByTime(10_000);
    expect(terminate).toHaveBeenCalledOnce();
    expect(await thread()).toBeGreaterThan(first);
  });

  it("lets a sheet go ahead of the fits that wait, but for the one that the worker has", async () => {
    host = open(OBEDIENT);
    const order: string[] = [];
    const fits = ["A", "B", "C"].map((ticker) =>
      host!
        .fitVolatility({ ...volatilityJob(2), ticker: ticker as typeof BTC })
        .then(() => order.push(ticker)),
    );
    const sheet = host.drawSheet(SHEET_JOB).then(() => order.push("sheet"));

    await Promise.all([...fits, sheet]);

    expect(order).toEqual(["A", "B", "sheet", "C"]);
  });

  it("lets an asset's first fit go ahead of others that wait", async () => {
    const { model } = fitVolatilityJob(volatilityJob(900))!;
    host = open(OBEDIENT);
    const order: string[] = [];
    const fit = async (ticker: string, previous: VolatilityModel | null): Promise<void> => {
      const job = volatilityJob(2);
      await host!.fitVolatility({
        ...job,
        ticker: ticker as typeof BTC,
        options: { ...job.options, previous },
      });
      order.push(ticker);
    };

    await Promise.all([
      ...["A", "B", "C"].map((ticker) => fit(ticker, model)),
      ...["D", "E"].map((ticker) => fit(ticker, null)),
    ]);

    expect(order).toEqual(["A", "B", "D", "E", "C"]);
  });

  it("loses no fit with a worker that is lost in the fit before it", async () => {
    host = open(OBEDIENT);
    const answers = await Promise.all(
      ["CRASH", "B", "EXIT", "C", "D"].map((ticker) =>
        host!.fitVolatility({ ...volatilityJob(2), ticker: ticker as typeof BTC }),
      ),
    );

    expect(answers.map((answer) => (answer.ok ? answer.value : answer.error.code))).toEqual([
      "crashed",
      "B",
      "crashed",
      "C",
      "D",
    ]);
  });

  it("lets the record of forecasts wait for everything else, in its own order", async () => {
    host = open(OBEDIENT);
    const order: string[] = [];
    const replay = (ticker: string): Promise<unknown> =>
      host!
        .replayForecasts({ ...REPLAY_JOB, ticker: ticker as typeof BTC })
        .then(() => order.push(`replay ${ticker}`));
    const jobs = [replay("A"), replay("B"), replay("C")];
    jobs.push(host.diagnose(DIAGNOSIS_JOB).then(() => order.push("diagnosis")));
    jobs.push(host.fitVolatility(volatilityJob(2)).then(() => order.push("fit")));
    jobs.push(host.drawSheet(SHEET_JOB).then(() => order.push("sheet")));

    await Promise.all(jobs);

    expect(order).toEqual(["replay A", "sheet", "fit", "replay B", "replay C", "diagnosis"]);
  });

  it("settles everything when it is closed, and refuses what comes after", async () => {
    host = open(OBEDIENT);
    const jobs = ["HANG", "B"].map((ticker) =>
      host!.fitVolatility({ ...volatilityJob(2), ticker: ticker as typeof BTC }),
    );

    await host.close();

    for (const result of await Promise.all(jobs)) expect(result).toMatchObject({ error: { code: "closed" } });
    expect(await host.fitVolatility(volatilityJob(2))).toMatchObject({ error: { code: "closed" } });
  });

  it("fails jobs instead of starting for ever when the worker cannot start", async () => {
    host = open(workerOf("throw new Error('cannot start')"));

    expect(await host.fitVolatility(volatilityJob(2))).toMatchObject({ error: { code: "crashed" } });
  });
});

function open(workerUrl: URL): RefitHost {
  return openRefitHost({ workerUrl, jobDeadlineMs: DEADLINE_MS, sheetDeadlineMs: SHEET_DEADLINE_MS });
}

function workerOf(body: string): URL {
  const source = `import { parentPort, threadId } from "node:worker_threads";\n${body}`;
  return new URL(`data:text/javascript,${encodeURIComponent(source)}`);
}

const SHEET_JOB = { kind: "sheet", version: 1, singleAssetBlocks: 4, assets: [] } as const;

const DIAGNOSIS_JOB = {
  kind: "diagnosis",
  ticker: BTC,
  computedAtMs: NOW_MS,
  rows: new Float64Array(0),
  multipliers: UNCORRECTED,
  bars: NO_BARS,
  previous: null,
} as const;

const REPLAY_JOB = {
  kind: "replay",
  bars: NO_BARS,
  cursor: { hour: 0, model: null, multipliers: UNCORRECTED, openDay: null },
  hoursMax: 1,
  calibrationCode: 1,
} as const;

function volatilityJob(hours: number): VolatilityJob {
  return {
    kind: "volatility",
    ticker: BTC,
    bars: barColumnsOf(walk(hours)),
    options: { pooledSeasonality: null, peer: null, halfSpreadFraction: 0, previous: null },
  };
}

function walk(hours: number): readonly Bar[] {
  const random = createRandom(7);
  let close = 100;
  return Array.from({ length: hours }, (_, i) => {
    const open = close;
    close = open * Math.exp(0.006 * (random.uniform() + random.uniform() + random.uniform() - 1.5));
    const wick = 1 + 0.002 * random.uniform();
    return {
      openTimeMs: NOW_MS + (i - hours) * HOUR_MS,
      open,
      high: Math.max(open, close) * wick,
      low: Math.min(open, close) / wick,
      close,
      volumeBase: 5,
    };
  });
}
