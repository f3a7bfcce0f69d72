import { expect, test } from "vitest";
import { commands, type Mode } from "./closing-words.ts";
import { readInstallation } from "./installation.ts";

function saidAfter(mode: Mode, env: Record<string, string> = {}): string[] {
  return commands(readInstallation(env), mode).map((line) => line.trim().replaceAll(/ {2,}/g, "  "));
}

test("a user who left the daemons running is told how to stop them, and not to leave them running", () => {
  expect(saidAfter("detached")).toEqual([
    "npm run quickstart -- --down  stop the daemons; the apps go on",
    "npm run quickstart -- --reset  remove all of it",
    "npm run admin -- --help  users, keys, hosts",
  ]);
  expect(saidAfter("foreground")[0]).toContain("--detach");
  expect(saidAfter("once")[0]).toMatch(/^npm run quickstart {2}/);
});

test("the commands lead to the installation that was set up, whatever it was set up with", () => {
  const env = { SVC_DATA_DIR: "/srv/it's mine", SVC_HTTP_PORT: "8080", INIT_CWD: "/home/me", PATH: "/bin" };
  expect(saidAfter("detached", env)).toEqual([
    "SVC_DATA_DIR='/srv/it'\\''s mine' SVC_HTTP_PORT=8080 npm run quickstart -- --down  stop the daemons; the apps go on",
    "SVC_DATA_DIR='/srv/it'\\''s mine' SVC_HTTP_PORT=8080 npm run quickstart -- --reset  remove all of it",
    "SVC_DATA_DIR='/srv/it'\\''s mine/control-plane' npm run admin -- --help  users, keys, hosts",
  ]);
  expect(saidAfter("detached", { SUDO_USER: "me" })[0]).toMatch(/^sudo npm run /);
  const withDatabase = saidAfter("detached", { DATABASE_URL: "postgres://svc:secret@db/svc" });
  expect(withDatabase.join()).not.toContain("secret");
  for (const line of withDatabase) expect(line).toMatch(/^DATABASE_URL="\$DATABASE_URL" npm run /);
  expect(saidAfter("once", { SVC_DATA_DIR: "here", INIT_CWD: "/home/me" })[0]).toContain("SVC_DATA_DIR=/home/me/here ");
});
