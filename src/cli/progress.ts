/** Of a command that takes minutes, on the error stream. */
export interface Progress {
  readonly show: (doneFraction: number) => void;
  readonly end: () => void;
}

/** A line of its own in a log for each of these. */
const LOGGED_STEPS = 10;

/** One line that changes at a terminal; in a log a line for every tenth. */
export function showProgress(
  what: string,
  stream: Pick<NodeJS.WriteStream, "write"> & { readonly isTTY?: boolean } = process.stderr,
): Progress {
  if (stream.isTTY === true) {
    return {
      show: (doneFraction) => stream.write(`\r${what} ${percentOf(doneFraction)}`),
      end: () => stream.write("\n"),
    };
  }
  let logged = 0;
  return {
    show: (doneFraction) => {
      const step = Math.floor(LOGGED_STEPS * doneFraction);
      if (step <= logged) return;
      logged = step;
      stream.write(`${what} ${percentOf(step / LOGGED_STEPS)}\n`);
    },
    end: () => undefined,
  };
}

function percentOf(fraction: number): string {
  return `${(100 * fraction).toFixed(0).padStart(3)} %`;
}
