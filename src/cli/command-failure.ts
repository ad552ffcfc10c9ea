import { parseArgs, type ParseArgsConfig } from "node:util";
import { ConfigError } from "../config.ts";
import { causeText } from "../domain/cause-text.ts";

/** What a person at the terminal can put right; shown without a stack. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
}

/** A person asked with --help; the message is the command's usage. */
class HelpRequest extends Error {
  override readonly name = "HelpRequest";
}

/**
 * Errors:  CommandFailure, with the usage, for an option that there is not or that lacks its value; HelpRequest, which
 *          runCommand answers
 */
export function parsedArguments<T extends ParseArgsConfig>(
  config: T,
  usage: string,
): ReturnType<typeof parseArgs<T>> {
  if ((config.args ?? process.argv.slice(2)).includes("--help")) throw new HelpRequest(usage);
  try {
    return parseArgs(config);
  } catch (cause) {
    throw new CommandFailure(`${causeText(cause)}\n${usage}`, {
      cause,
    });
  }
}

/** The names of an --assets option; null, which is all, without one. Errors: CommandFailure where a name is empty. */
export function namedAssets(text: string | undefined): ReadonlySet<string> | null {
  if (text === undefined) return null;
  const names = text.split(",").map((name) => name.trim());
  if (names.includes("")) {
    throw new CommandFailure(`--assets must be tickers separated by commas, got "${text}"`);
  }
  return new Set(names);
}

/** Runs a command; what a person can put right is shown in a line, everything else with its stack. */
export async function runCommand(command: () => Promise<void> | void): Promise<void> {
  try {
    await command();
  } catch (cause) {
    if (cause instanceof HelpRequest) {
      console.log(cause.message);
      return;
    }
    const isTheirs = cause instanceof CommandFailure || cause instanceof ConfigError;
    process.stderr.write(
      `${isTheirs ? cause.message : String(cause instanceof Error ? cause.stack : cause)}\n`,
    );
    process.exitCode = isTheirs ? 2 : 1;
  }
}
