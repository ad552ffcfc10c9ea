import { defineConfig } from "vitest/config";

/** No retries and no time-dependent tests: a failure is a fact. Forks, because a uWebSockets.js app left open aborts a thread's process. */
export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    exclude: ["dist/**", "node_modules/**"],
    setupFiles: ["test/support/property.ts"],
    globalSetup: ["test/support/temporary-root.ts", "test/support/build-once.ts"],
    pool: "forks",
    retry: 0,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ["default", ["json", { outputFile: "test-report.json" }]],
  },
});
