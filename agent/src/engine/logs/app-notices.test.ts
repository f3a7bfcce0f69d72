import { newId } from "@svc/shared/rules/ids.ts";
import { expect, test } from "vitest";
import type { AppNotice } from "./app-notice.ts";
import { AppNotices } from "./app-notices.ts";

const appId = newId();

function notice(text: string, fields: Partial<AppNotice> = {}): AppNotice {
  const app = { appId, appName: "shop", containerId: "current", role: "app" as const };
  return { ...app, kind: "ended", time: new Date(0), text, ...fields };
}

const textsOf = (notices: AppNotices, shown = { appId, containerId: "current" }): string[] =>
  notices.of(shown).map(({ text }) => text);

test("the newest 50 notices of an app are kept", () => {
  const notices = new AppNotices();
  for (let number = 1; number <= 60; number += 1) notices.add(notice(`${number}`));
  expect(textsOf(notices)).toHaveLength(50);
  expect([textsOf(notices)[0], textsOf(notices).at(-1)]).toEqual(["11", "60"]);
});

test("an app's log has the notices of its container and its database, and of no other container or app", () => {
  const notices = new AppNotices();
  notices.add(notice("own"));
  notices.add(notice("former", { containerId: "former" }));
  notices.add(notice("database", { containerId: "database", role: "database" }));
  notices.add(notice("neighbour", { appId: newId(), role: "database" }));
  expect(textsOf(notices)).toEqual(["own", "database"]);
});

test("an app that was told of long ago gives way when very many are told of", () => {
  const notices = new AppNotices();
  notices.add(notice("first"));
  for (let count = 0; count < 2_000; count += 1) notices.add(notice("other", { appId: newId() }));
  expect(textsOf(notices)).toEqual([]);
});

test("nothing is known of an app that was forgotten, and nobody is told who has left", () => {
  const notices = new AppNotices();
  const heard: string[] = [];
  const leave = notices.listen({ appId, containerId: "current" }, ({ text }) => heard.push(text));
  notices.add(notice("former", { containerId: "former" }));
  notices.add(notice("own"));
  leave();
  notices.add(notice("late"));
  expect(heard).toEqual(["own"]);
  notices.forget(appId);
  expect(textsOf(notices)).toEqual([]);
});
