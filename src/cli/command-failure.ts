/** What a person at the terminal can put right; shown without a stack. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
}

/** Runs a command; what a person can put right is shown in a line, everything else with its stack. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (cause) {
    const isTheirs = cause instanceof Error && THEIRS.has(cause.name);
    process.stderr.write(
      `${isTheirs ? cause.message : String(cause instanceof Error ? cause.stack : cause)}\n`,
    );
    process.exitCode = isTheirs ? 2 : 1;
  }
}

const THEIRS = new Set(["CommandFailure", "ConfigError", "UnusableFileError", "NewerSchemaError"]);
