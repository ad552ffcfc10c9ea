import { spawn } from "node:child_process";

/** `npm run dev`: compiles on every change and restarts the service on every compilation. */
const compiler = spawn("npx", ["tsc", "-p", "tsconfig.build.json", "--watch", "--preserveWatchOutput"], {
  stdio: "inherit",
});
const service = spawn(process.execPath, ["--watch", "dist/main.js"], { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    compiler.kill(signal);
    service.kill(signal);
  });
}
