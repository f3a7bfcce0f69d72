import { describe, expect, it } from "vitest";
import { CALLS_OF_USER_MAX, McpCalls } from "./mcp-calls.ts";

describe("calls that are open", () => {
  it("are bounded by user, and a call that ended gives its place to another, once", () => {
    const calls = new McpCalls();
    const free = Array.from({ length: CALLS_OF_USER_MAX }, () => calls.take("ada"));
    expect(() => calls.take("ada")).toThrow("10 calls of yours are open");
    calls.take("grace");
    free[0]!();
    free[0]!();
    calls.take("ada");
    expect(() => calls.take("ada")).toThrow("10 calls of yours are open");
  });
});
