import { existsSync, readFileSync } from "node:fs";

interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[];
}

/** Prints "N passed, N failed" from the test report; fails when there is none, or when it counts no test. */
if (!existsSync("test-report.json")) {
  console.log("0 passed, 1 failed");
  process.exit(1);
}
const report = JSON.parse(readFileSync("test-report.json", "utf8")) as TestReport;
// A file that cannot be loaded has no tests to count as failed.
const broken = report.testResults.filter(
  (file) => file.status === "failed" && file.assertionResults.length === 0,
);
const failed = report.numFailedTests + broken.length;
console.log(`${report.numPassedTests} passed, ${failed} failed`);
process.exit(failed === 0 && report.numPassedTests > 0 ? 0 : 1);
