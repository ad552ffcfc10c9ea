import { cpus } from "node:os";

/** One row of a table: what was done, and what it cost. */
export interface Row {
  readonly name: string;
  /** Median over rounds of the mean of one round. */
  readonly microseconds: number;
  /** The slowest round's mean. */
  readonly worstMicroseconds: number;
}

const WARM_UP_MS = 300;
const ROUNDS = 15;
const ROUND_MS = 60;

/** Times a function by rounds of many calls; the median round is robust against what else the machine does. */
export function measure(name: string, call: () => unknown): Row {
  let sink: unknown;
  const warmUntil = performance.now() + WARM_UP_MS;
  let calls = 0;
  while (performance.now() < warmUntil) {
    sink = call();
    calls += 1;
  }
  const perRound = Math.max(1, Math.round((calls * ROUND_MS) / WARM_UP_MS));
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    for (let i = 0; i < perRound; i += 1) sink = call();
    rounds.push(((performance.now() - start) / perRound) * 1000);
  }
  if (sink === measure) throw new Error("keeps the calls from being optimised away");
  rounds.sort((a, b) => a - b);
  return { name, microseconds: rounds[ROUNDS >> 1]!, worstMicroseconds: rounds.at(-1)! };
}

/** A Markdown table; the ratio column is against the row that is named. */
export function markdownTable(rows: readonly Row[], baseName: string): string {
  const base = rows.find(({ name }) => name === baseName)!.microseconds;
  const lines = rows.map(
    ({ name, microseconds, worstMicroseconds }) =>
      `| ${name} | ${microseconds.toFixed(2)} | ${worstMicroseconds.toFixed(2)} | ${(microseconds / base).toFixed(2)} |`,
  );
  return [
    `| what | median µs | slowest round µs | ratio to ${baseName} |`,
    "|---|---|---|---|",
    ...lines,
  ].join("\n");
}

export function machineLine(): string {
  const processors = cpus();
  return `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${processors.length} x ${processors[0]?.model ?? "?"}`;
}
