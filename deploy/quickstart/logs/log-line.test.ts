import { expect, test } from "vitest";
import { formatLogLine } from "./log-line.ts";

test("a JSON line becomes time, daemon, level, message and fields", () => {
  const line = JSON.stringify({
    level: "info",
    time: "2026-01-02T03:04:05.678Z",
    name: "agent",
    msg: "ready",
    http: "a:1",
    why: "two words",
  });
  expect(formatLogLine("agent", line)).toBe('03:04:05 agent         INFO  ready http=a:1 why="two words"');
});

test("control characters are shown to a terminal, not obeyed", () => {
  const line = JSON.stringify({ level: "info", msg: "request", path: "/api/apps/\0\u001b[2J\u009b2J", plain: "ü" });
  expect(formatLogLine("agent", line)).toContain('path="/api/apps/\\u0000\\u001b[2J\\u009b2J" plain=ü');
  expect(formatLogLine("agent", JSON.stringify({ msg: "\u001b[2J" }))).toContain("\\u001b[2J");
  expect(formatLogLine("agent", "\tat \u001b[2J")).toContain("\tat \\u001b[2J");
});

test("an error is shown by its message", () => {
  const line = JSON.stringify({ level: "error", msg: "failed", err: { message: "no route", stack: "…" } });
  expect(formatLogLine("agent", line)).toContain('failed err="no route"');
});

test.each(["Segmentation fault", "{half a line", "[1]", "7"])("a line that is no entry stays as it is: %s", (line) => {
  expect(formatLogLine("control-plane", line)).toBe(`         control-plane ${line}`);
});
