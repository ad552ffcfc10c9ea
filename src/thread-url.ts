/** The module of a thread, "simulator/simulator-thread" style: compiled in dist, source when run by a TypeScript loader. */
export function threadUrl(module: string): URL {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./${module}.${extension}`, import.meta.url);
}
