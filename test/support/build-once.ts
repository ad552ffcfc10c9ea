import { execFileSync } from "node:child_process";

/** Flow and contract tests run the built program, the one that `npm start` runs. SKIP_BUILD=1 reuses the last build. */
export default function buildOnce(): void {
  if (process.env["SKIP_BUILD"] !== undefined) return;
  execFileSync("npm", ["run", "--silent", "build"], { stdio: "inherit" });
}
