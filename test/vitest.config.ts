import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

const ROOT = new URL("..", import.meta.url).pathname;

/** What only computes: no sockets, threads, files of its own, mocks or clocks. */
const FORMULAS = testsOf(["risk", "math", "response", "domain", "vectors"]);
/** What starts the built program. */
const PROGRAM = testsOf(["flow"]);

/** No retries and no time-dependent tests: a failure is a fact. Forks, because a uWebSockets.js app left open aborts a thread's process. */
export default defineConfig({
  test: {
    root: ROOT,
    globalSetup: ["test/support/temporary-root.ts", "test/support/build-once.ts"],
    reporters: ["default", ["json", { outputFile: "test-report.json" }]],
    projects: [
      // Their files share the modules: loading these, and drawing the test sheet, is half of what each would take alone.
      // What only computes waits for nothing but the processor, so that its time says nothing on a busy machine.
      project("formulas", 0, { include: FORMULAS, isolate: false, maxWorkers: 2, testTimeout: 120_000 }),
      project("parts", 1, {
        include: ["test/**/*.test.ts"],
        exclude: [...FORMULAS, ...PROGRAM],
        maxWorkers: 2,
      }),
      // A started program is several busy threads: one at a time.
      project("program", 2, {
        include: PROGRAM,
        setupFiles: ["test/support/property.ts", "test/support/check-answers.ts"],
        maxWorkers: 1,
      }),
    ],
  },
});

function testsOf(folders: readonly string[]): string[] {
  return folders.map((folder) => `test/${folder}/**/*.test.ts`);
}

function project(
  name: string,
  groupOrder: number,
  options: TestProjectInlineConfiguration["test"],
): TestProjectInlineConfiguration {
  return {
    test: {
      name,
      root: ROOT,
      setupFiles: ["test/support/property.ts"],
      pool: "forks",
      retry: 0,
      testTimeout: 30_000,
      hookTimeout: 60_000,
      sequence: { groupOrder },
      ...options,
    },
  };
}
