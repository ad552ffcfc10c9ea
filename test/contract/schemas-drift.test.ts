import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const GENERATED = "src/contracts/generated";
const scratch = mkdtempSync(`${tmpdir()}/breakwater-contract-`);

afterAll(() => rmSync(scratch, { recursive: true }));

describe("the generated contract", () => {
  it("is what the schemas say now", () => {
    expect(checkIn(ROOT)).toEqual({ status: 0, stderr: "" });
  });

  it("is refused by name when a schema has moved on", () => {
    mkdirSync(`${scratch}/scripts`);
    const scripts = ["scripts/generate-contracts.ts", "scripts/json-writers.ts"];
    for (const path of ["schemas", GENERATED, "src/response/generated", ...scripts, "package.json"]) {
      cpSync(`${ROOT}/${path}`, `${scratch}/${path}`, { recursive: true });
    }
    symlinkSync(`${ROOT}/node_modules`, `${scratch}/node_modules`);
    const schemaPath = `${scratch}/schemas/validate-request.schema.json`;
    const schema = JSON.parse(readFileSync(schemaPath, "utf8")) as { required: string[] };
    writeFileSync(schemaPath, JSON.stringify({ ...schema, required: [...schema.required, "leverage"] }));

    const { status, stderr } = checkIn(scratch);

    expect(status).toBe(1);
    expect(stderr).toBe(`stale: ${GENERATED}/types.ts, ${GENERATED}/validators.ts; run npm run generate\n`);
  });

  it("runs in plain Node without any package", () => {
    const source = readFileSync(`${ROOT}/${GENERATED}/validators.ts`, "utf8");
    writeFileSync(`${scratch}/validators.mjs`, source);
    const program = `import { isAlertConfig } from "${scratch}/validators.mjs";
      console.log(isAlertConfig({ wallet: "0x${"a".repeat(40)}" }), isAlertConfig({ wallet: "0x" }));`;

    const output = execFileSync(process.execPath, ["--input-type=module", "--eval", program], { cwd: "/" });

    expect(output.toString()).toBe("true false\n");
  });
});

function checkIn(root: string): { status: number | null; stderr: string } {
  const { status, stderr } = spawnSync(
    process.execPath,
    [`${ROOT}/node_modules/tsx/dist/cli.mjs`, "scripts/generate-contracts.ts", "--check"],
    { cwd: root, encoding: "utf8" },
  );
  return { status, stderr };
}
