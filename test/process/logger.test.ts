import { afterEach, describe, expect, it, vi } from "vitest";
import { createLogger } from "../../src/process/logger.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("createLogger", () => {
  it("writes one line of JSON per event, of its level and above, and neither a key nor an authorization", () => {
    const lines: string[] = [];
    vi.spyOn(process.stdout, "write").mockImplementation((text) => lines.push(text.toString()) > 0);
    const logger = createLogger("warn");

    logger.info({ event: "quiet" }, "not written");
    logger.warn({ event: "loud", key: "bw_secret", authorization: "Bearer bw_secret" }, "written");

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
