import { defineConfig } from "vitest/config";

/** What only computes: no sockets, threads, files of its own, mocks or clocks. */
const FORMULAS = ["risk", "math", "response", "domain", "vectors"].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

/** No retries and no time-dependent tests: a failure is a fact. Forks, because a uWebSockets.js app left open aborts a thread's process. */
export default defineConfig({
  test: {
    globalSetup: ["test/support/temporary-root.ts", "test/support/build-once.ts"],
    reporters: ["default", ["json", { outputFile: "test-report.json" }]],
    root: new URL("..", import.meta.url).pathname,
    projects: [
      // Their files share the modules: loading these, and drawing the test sheet, is half of what each would take alone.
      project("formulas", { include: FORMULAS, isolate: false }),
      project("program", { include: ["test/**/*.test.ts"], exclude: FORMULAS, isolate: true }),
    ],
  },
});

function project(
  name: string,
  { include, exclude = [], isolate }: { include: string[]; exclude?: string[]; isolate: boolean },
) {
  return {
    test: {
      name,
      include,
      exclude: [...exclude, "dist/**", "node_modules/**"],
      isolate,
      root: new URL("..", import.meta.url).pathname,
      setupFiles: ["test/support/property.ts"],
      pool: "forks" as const,
      retry: 0,
      testTimeout: 30_000,
      hookTimeout: 60_000,
    },
  };
}
