/**
 * The compiled module of a thread, "simulator/simulator-thread" style. Threads start without a TypeScript loader, so a
 * program run from source (a benchmark, a test) starts the build's threads.
 */
export function threadUrl(module: string): URL {
  const isSource = import.meta.url.endsWith(".ts");
  return new URL(`${isSource ? "../../dist/" : "../"}${module}.js`, import.meta.url);
}
