import { openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LogOutput } from "../../src/process/log-output.ts";
import { createLogger } from "../../src/process/logger.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();

describe("createLogger", () => {
  it("writes one line of JSON per event, of its level and above, and neither a key nor an authorization", () => {
    const file = join(folder.path, "log");
    const output = new LogOutput(openSync(file, "w"));
    const logger = createLogger("warn", output);

    logger.info({ event: "quiet" }, "not written");
    logger.warn({ event: "loud", key: "bw_secret", authorization: "Bearer bw_secret" }, "written");
    output.flushSync();

    const lines = readFileSync(file, "utf8").split(/(?<=\n)/);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^\{.*\}\n$/);
    expect(lines[0]).not.toContain("bw_secret");
    expect(JSON.parse(lines[0]!)).toMatchObject({
      event: "loud",
      msg: "written",
      time: expect.stringMatching(/Z$/),
    });
  });
});
