import { CommandFailure } from "./command-failure.ts";
import { fileLines } from "./data-file.ts";

/** Later are microseconds, of which millennia would be walked. Of seconds many are in one hour, which is refused. */
const TIME_MS_END = Date.UTC(2100, 0);

/** One line of a table, its cells by the names of their columns. */
export interface CsvRow {
  /** Errors: CommandFailure with path and line for a cell that is absent. */
  text(column: string): string;
  /** Errors: CommandFailure with path and line for a cell that is absent or no finite number. */
  number(column: string): number;
  /** The same, also for a time after this century. */
  timeMs(column: string): number;
  /** What is wrong with this line, with path and line before it. */
  failure(what: string): CommandFailure;
}

/**
 * The lines of a file below its header. Errors: CommandFailure that names the file, when it cannot be read or has
 * another header, and of a row's cells where they are not what is asked for.
 */
export function csvTable(path: string, header: string): readonly CsvRow[] {
  const rows = csvTableIfHeaded(path, header);
  if (rows === null) throw new CommandFailure(`${path}: expected the header ${header}`);
  return rows;
}

/** The same; null for a file of another header. */
export function csvTableIfHeaded(path: string, header: string): readonly CsvRow[] | null {
  const [first, ...lines] = fileLines(path);
  if (first!.trim() !== header) return null;
  const columns = header.split(",");
  return lines.map((line, i) => csvRow(line.trim().split(","), columns, `${path}: line ${i + 2}`));
}

function csvRow(cells: readonly string[], columns: readonly string[], place: string): CsvRow {
  const failure = (what: string): CommandFailure => new CommandFailure(`${place}: ${what}`);
  const text = (column: string): string => {
    const cell = cells[columns.indexOf(column)];
    if (cell === undefined || cell === "") throw failure(`${column} is missing`);
    return cell;
  };
  const number = (column: string): number => {
    const cell = text(column);
    const value = Number(cell);
    if (!Number.isFinite(value)) throw failure(`${column} is no number: ${cell}`);
    return value;
  };
  const timeMs = (column: string): number => {
    const value = number(column);
    if (value >= TIME_MS_END) throw failure(`${column} is no time in milliseconds: ${text(column)}`);
    return value;
  };
  return { text, number, timeMs, failure };
}
