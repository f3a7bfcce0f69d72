import { expect, test } from "vitest";
import { linkToken } from "../client/link-token.ts";
import { appState } from "./app-state.ts";
import { deviceName } from "./device-name.ts";
import { pathOfDeploy } from "./places.ts";
import { daysFrom, shownTime } from "./time.ts";

test.for([
  [
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36",
    "Chrome on Linux",
  ],
  [
    "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0",
    "Edge on Windows",
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 14.1) AppleWebKit/605 (KHTML, like Gecko) Version/18 Safari/605",
    "Safari on macOS",
  ],
  ["Mozilla/5.0 (iPhone; CPU iPhone OS 18 like Mac OS X) AppleWebKit/605 Version/18 Safari/604", "Safari on iOS"],
  ["curl/8.5.0", "curl/8.5.0"],
  ["", "unknown device"],
  [null, "unknown device"],
] as const)("the browser %s is shown as %s", ([agent, name]) => {
  expect(deviceName(agent)).toBe(name);
});

test("an app that runs and fails its checks is broken, and the reason is shown", () => {
  const health = { state: "unhealthy", reason: "crash_loop", since: null } as const;
  expect(appState({ status: "running", health, stopped_by: null })).toEqual({
    text: "unhealthy: it ends again and again",
    isBroken: true,
  });
  const away = { state: "unknown", reason: "server_away", since: null } as const;
  expect(appState({ status: "running", health: away, stopped_by: null })).toEqual({
    text: "running: its server can't be reached",
    isBroken: false,
  });
  expect(appState({ status: "stopped", health: away, stopped_by: null })).toEqual({ text: "stopped", isBroken: false });
});

test("a time is shown to the minute in the reader's zone, and days are counted from now", () => {
  expect(shownTime(new Date(2026, 2, 1, 9, 5, 59).toISOString())).toBe("2026-03-01 09:05");
  expect(daysFrom(new Date("2026-01-31T12:00:00Z"), 30)).toBe("2026-03-02T12:00:00.000Z");
});

test("the token of a link is what stands in its fragment", () => {
  expect([linkToken("#token=abc-_1"), linkToken("#other=1"), linkToken("")]).toEqual(["abc-_1", "", ""]);
});

test("a deploy that has no id yet, because it waits, is looked for in the app's list", () => {
  expect(pathOfDeploy("shop", "d-1")).toBe("/apps/shop/deploys/d-1");
  expect(pathOfDeploy("shop", undefined)).toBe("/apps/shop/deploys");
});
