import { cpus, loadavg, totalmem } from "node:os";

/** One line about the machine and how busy it was: absolute times mean nothing without it. */
export function machineLine(): string {
  const processors = cpus();
  const memoryGb = (totalmem() / 2 ** 30).toFixed(0);
  const load = loadavg().map((value) => value.toFixed(2));
  const time = `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return `${time}, Node ${process.version}, ${processors.length} x ${processors[0]?.model ?? "?"}, ${memoryGb} GB, load average ${load.join(" ")}`;
}

/** Prints a section: what was measured, the machine, a table, and what the reader has to know. */
export function printSection(title: string, body: readonly string[]): void {
  console.log([`### ${title}`, "", machineLine(), "", ...body, ""].join("\n"));
}

export function markdownTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Three significant digits or two decimals, whichever are fewer, without an exponent. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const magnitude = Math.abs(value);
  return value.toFixed(magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : 2);
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The smallest value that at least this share of the values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
