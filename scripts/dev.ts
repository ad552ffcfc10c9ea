import { spawn } from "node:child_process";

/** `npm run dev`: on every change compiles, restarts the service on what came of it, and says which types are wrong. */
const compiler = compile("-b", "tsconfig.build.json");
const typeChecker = compile("-p", "tsconfig.json", "--noEmit");
const service = spawn(process.execPath, ["--watch", "dist/main.js"], { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    for (const child of [compiler, typeChecker, service]) child.kill(signal);
  });
}

function compile(...projectArguments: string[]) {
  return spawn("npx", ["tsc", ...projectArguments, "--watch", "--preserveWatchOutput"], { stdio: "inherit" });
}
