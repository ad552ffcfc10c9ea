import { availableParallelism } from "node:os";
import { describe, expect, it } from "vitest";
import { backtestOptions } from "../../src/cli/backtest-options.ts";
import { CommandFailure } from "../../src/cli/command-failure.ts";

describe("backtestOptions", () => {
  it("leaves to the candles and the machine what is not said", () => {
    expect(backtestOptions(["--data", "candles"])).toEqual({
      directory: "candles",
      assets: null,
      fromMs: -Infinity,
      toMs: Infinity,
      jsonFile: null,
      threads: availableParallelism(),
    });
  });

  it("reads assets, days and threads", () => {
    const named = ["--data", "d", "--assets", "BTC,ETH", "--from", "2024-01-01", "--to", "2024-07-01"];
    expect(backtestOptions([...named, "--json", "out.json", "--threads", "1"])).toEqual({
      directory: "d",
      assets: new Set(["BTC", "ETH"]),
      fromMs: Date.UTC(2024, 0, 1),
      toMs: Date.UTC(2024, 6, 1),
      jsonFile: "out.json",
      threads: 1,
    });
  });

  it.each([
    [[], "--data is missing\nusage: "],
    [["--data", "d", "--from", "2024-13-01"], '--from must be a day such as 2024-01-01, got "2024-13-01"'],
    [["--data", "d", "--from", "2023-02-29"], '--from must be a day such as 2024-01-01, got "2023-02-29"'],
    [["--data", "d", "--to", "2024-1-1"], '--to must be a day such as 2024-01-01, got "2024-1-1"'],
    [["--data", "d", "--to", "soon"], '--to must be a day such as 2024-01-01, got "soon"'],
    [["--data", "d", "--from", "2024-07-01", "--to", "2024-07-01"], "--from must be before --to"],
    [["--data", "d", "--threads", "0"], '--threads must be a whole number above 0, got "0"'],
    [["--data", "d", "--threads", "1.5"], '--threads must be a whole number above 0, got "1.5"'],
    [["--data", "d", "--thread", "2"], "Unknown option '--thread'"],
    [["d"], "Unexpected argument 'd'"],
  ])("refuses %j by name", (args, said) => {
    expect(() => backtestOptions(args)).toThrow(CommandFailure);
    expect(() => backtestOptions(args)).toThrow(said);
  });
});
