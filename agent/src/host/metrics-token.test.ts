import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hasBearerToken, metricsTokenFile, openMetricsToken } from "./metrics-token.ts";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-token-"));
});
afterEach(() => rm(directory, { recursive: true }));

test("the token is made once, and only the agent's user may read its file", async () => {
  const token = await openMetricsToken(directory);
  expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect((await stat(metricsTokenFile(directory))).mode & 0o777).toBe(0o600);
  expect(await readFile(metricsTokenFile(directory), "utf8")).toBe(`${token}\n`);
  expect(await openMetricsToken(directory)).toBe(token);
});

test("a file that was opened to others is closed again at the next start", async () => {
  await writeFile(metricsTokenFile(directory), "x".repeat(32), { mode: 0o644 });
  expect(await openMetricsToken(directory)).toBe("x".repeat(32));
  expect((await stat(metricsTokenFile(directory))).mode & 0o777).toBe(0o600);
});

test("an empty or short token stops the start with the file's name and the remedy", async () => {
  for (const text of ["", "\n", "secret"]) {
    await writeFile(metricsTokenFile(directory), text);
    await expect(openMetricsToken(directory)).rejects.toThrow(/metrics-token holds no token .*: remove it/);
  }
});

test("nothing but the whole token is accepted", () => {
  const token = "a".repeat(43);
  expect(hasBearerToken(`Bearer ${token}`, token)).toBe(true);
  for (const given of [undefined, "", "Bearer", "Bearer ", `Bearer ${token}b`, `Bearer ${token.slice(1)}`, token]) {
    expect(hasBearerToken(given, token)).toBe(false);
  }
});
