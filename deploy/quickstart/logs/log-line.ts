import { isRecord, jsonOrUndefined } from "@svc/shared/json.ts";

/** Fields that every line has, or that the line's head shows already. */
const HIDDEN = new Set(["level", "time", "msg", "name", "pid", "hostname"]);

/** `12:01:03 agent  INFO  message  key=value` of a JSON line; any other line as it is, behind the daemon's name. */
export function formatLogLine(name: string, line: string): string {
  const head = name.padEnd(13);
  const entry = jsonOrUndefined(line);
  if (!isRecord(entry)) return harmless(`${" ".repeat(8)} ${head} ${line}`);
  const time = typeof entry.time === "string" ? entry.time.slice(11, 19) : " ".repeat(8);
  const level = String(entry.level ?? "")
    .toUpperCase()
    .padEnd(5);
  const fields = Object.entries(entry)
    .filter(([key]) => !HIDDEN.has(key))
    .map(([key, value]) => `${key}=${formatValue(value)}`);
  return harmless([time, head, level, String(entry.msg ?? ""), ...fields].join(" ").trimEnd());
}

/** Returns the line without what a terminal would obey. */
function harmless(line: string): string {
  return line.replaceAll(/(?!\t)\p{Cc}/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function formatValue(value: unknown): string {
  const isError = typeof value === "object" && value !== null && "message" in value;
  if (isError) return JSON.stringify(value.message);
  return typeof value === "string" && /^[^\s"=\p{Cc}]+$/u.test(value) ? value : JSON.stringify(value);
}
