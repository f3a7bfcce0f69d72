import { execFileSync } from "node:child_process";
import { mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordLink } from "@svc/control-plane/fleet/links/server-links.store.ts";
import type { UnhealthyReason } from "@svc/control-plane/apps/health/app-health.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { parseEnvFile } from "@svc/shared/rules/env-file.ts";
import { windowOf } from "@svc/shared/rules/metrics/metrics-window.ts";
import { tellMetrics } from "../../support/agent/telling-metrics.ts";
import { addLiveRelease } from "../../support/api/scripted-apps.ts";
import type { SvcOutcome } from "../../support/svc/svc.ts";
import { startSvcWorld, type SvcWorld } from "../../support/svc/svc-world.ts";

let world: SvcWorld;

beforeAll(async () => {
  world = await startSvcWorld();
  await world.caller.call("POST", "/api/apps", { name: "shop", repo_url: "https://github.com/you/shop" });
  await world.user.write({ "svc.yaml": "# spec: svc/v1\nname: shop\n" });
});
afterAll(() => world?.stop());

const svc = (...argv: string[]): Promise<SvcOutcome> => world.user.svc(argv);
const envOf = async () => (await world.caller.call("GET", "/api/apps/shop/env")).json["env"];

describe("metrics", () => {
  const usage = { cpuMilliseconds: 2500, memoryBytes: 64n * 1024n ** 2n, memoryBytesMax: 512n * 1024n ** 2n };

  test("shows the latest values of an app, and says when there are none", async () => {
    expect((await svc("metrics")).stdout).toBe("Nothing was counted: shop did not run, or its server told nothing.\n");
    const { database } = world.http;
    const serverId = await world.http.addServer("metered", { linked: false });
    const { rows } = await database.query("update apps set server_id = $1 where name = 'shop' returning id", [
      serverId,
    ]);
    const sample = { appId: String(rows[0]!["id"]), requests: 3, errors: 1, latencyCounts: [0, 3], usage };
    const start = windowOf(Date.now() / 1000) - 20;
    await tellMetrics({ db: database.db }, serverId, [{ start, apps: [sample] }]);
    const { stdout } = await svc("metrics", "--since", "30m");
    expect(stdout.split("\n").map((line) => line.trim().split(/ {2,}/))).toEqual([
      ["LATEST"],
      ["requests", "3 in all"],
      ["errors", "1 in all"],
      ["p99", "1 ms"],
      ["cpu", "0.25 cores"],
      ["memory", "64 MiB of 512 MiB"],
      ["restarts", "0 in all"],
      [""],
    ]);
    expect(JSON.parse((await svc("metrics", "--json")).stdout)).toMatchObject({ app: "shop", step: 10 });
    // Other tests have no server.
    await database.query("update apps set server_id = null where name = 'shop'");
    await database.query("delete from servers where id = $1", [serverId]);
  });

  test("a time that is none is wrong use", async () => {
    const outcome = await svc("metrics", "--since", "yesterday");
    expect([outcome.status, outcome.stderr]).toEqual([2, expect.stringContaining("90s, 30m, 2h or 7d")]);
  });
});

describe("env", () => {
  const SECRET = "s3cret = \"with\" 'quotes', $dollars\nand lines ü";

  test("set takes pairs, and one value from standard input", async () => {
    const outcome = await world.user.svc(["env", "set", "A=1=2", "EMPTY=", "SECRET"], { stdin: `${SECRET}\n` });
    expect([outcome.status, outcome.stderr]).toEqual([0, ""]);
    expect(outcome.stdout).toMatch(/^Set A, EMPTY, SECRET\./);
    expect(await envOf()).toEqual({ A: "1=2", EMPTY: "", SECRET });
  });

  test("list shows keys, and values only when they are asked for", async () => {
    expect((await svc("env")).stdout).toBe("A\nEMPTY\nSECRET\n");
    expect(JSON.parse((await svc("env", "list", "--json")).stdout)).toEqual(["A", "EMPTY", "SECRET"]);
    const { stdout } = await svc("env", "list", "--values");
    expect(Object.fromEntries(parseEnvFile("out", stdout))).toEqual({ A: "1=2", EMPTY: "", SECRET });
  });

  test("pull writes a file for the user alone that push reads back, and replaces none unasked", async () => {
    expect((await svc("env", "pull", "pulled.env")).status).toBe(0);
    const file = join(world.user.folder, "pulled.env");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await svc("env", "pull", "pulled.env")).status).toBe(2);
    expect((await svc("env", "pull", "pulled.env", "--force")).status).toBe(0);
    for (const key of ["A", "EMPTY", "SECRET"]) await svc("env", "unset", key);
    expect(await envOf()).toEqual({});
    expect((await svc("env", "push", "pulled.env")).status).toBe(0);
    expect(await envOf()).toEqual({ A: "1=2", EMPTY: "", SECRET });
  });

  test("what is sealed is named, and its value is in no list and no file", async () => {
    expect((await svc("env", "set", "--sealed", "TOKEN=s3aled")).status).toBe(0);
    expect((await svc("env")).stdout).toBe("A\nEMPTY\nSECRET\nTOKEN (sealed)\n");
    const shown = [await svc("env", "list", "--values"), await svc("env", "pull", "-")];
    for (const { stdout } of shown) expect(stdout).not.toContain("s3aled");
    expect(shown[0]!.stdout).toContain("TOKEN is sealed");
    expect((await svc("env", "pull", "sealed.env")).stdout).toContain("TOKEN is sealed");
    expect((await svc("env", "unset", "TOKEN")).status).toBe(0);
  });

  test.each([
    [["env", "set", "1A=x"], "can't name a variable"],
    [["env", "set", "A", "B"], "Only one value"],
    [["env", "set"], "KEY=VALUE is missing"],
    [["env", "push", "none.env"], "can't be read"],
    [["env", "set", "PORT=1"], "PORT"],
  ])("%j is wrong use, with a sentence", async (argv, sentence) => {
    const outcome = await world.user.svc(argv);
    expect([outcome.status, outcome.stdout]).toEqual([2, ""]);
    expect(outcome.stderr).toContain(sentence);
  });

  test("an unknown key is refused by the service with 1", async () => {
    expect((await svc("env", "unset", "NONE")).status).toBe(1);
  });
});

describe("the other commands", () => {
  test("status, releases and apps show an app that was never deployed", async () => {
    expect((await svc("status")).stdout).toContain("shop: never deployed");
    expect((await svc("releases")).stdout).toBe("shop has no releases yet.\n");
    expect((await svc("apps")).stdout).toMatch(/shop +never deployed +- +- +https:/);
    expect(JSON.parse((await svc("apps", "--json")).stdout)).toMatchObject([{ name: "shop" }]);
  });

  test.each(["start", "stop", "restart"])("%s of an app that was never deployed says so, once", async (command) => {
    for (const argv of [[command], [command, "shop", "--dir", "/"]]) {
      expect(await svc(...argv)).toMatchObject({
        status: 1,
        stdout: "",
        stderr: `Error: The app shop has no release yet: deploy it, then ${command} it.\n`,
      });
    }
  });

  test("status says why the platform stopped an app", async () => {
    const stop = {
      reason: "disk_limit",
      detail: "The app shop was stopped: its files grew.",
      at: "2026-01-31T12:00:00Z",
    };
    const { db } = world.http.database;
    const hold = (holds: boolean) =>
      db
        .updateTable("apps")
        .set({ platform_stop: JSON.stringify(stop), platform_stop_holds: holds })
        .where("name", "=", "shop")
        .execute();
    await hold(true);
    expect((await svc("status")).stdout).toContain(`\n${stop.detail}\n`);
    await hold(false);
    expect((await svc("status")).stdout).not.toContain(stop.detail);
  });

  test("domains that the app does not have are neither listed, removed nor checked", async () => {
    expect((await svc("domains")).stdout).toBe("shop has no domains of its own.\n");
    expect((await svc("domains", "remove", "none.example.com")).status).toBe(1);
    expect((await svc("domains", "check", "none.example.com")).status).toBe(1);
  });

  test("webhooks and deploy keys live and go", async () => {
    expect((await svc("webhooks")).stdout).toBe("shop has no webhooks.\n");
    expect((await svc("webhooks", "add", "http://plain.example.com")).status).toBe(2);
    const health = ["--events", "app.unhealthy, app.recovered"];
    expect((await svc("webhooks", "add", "https://127.0.0.1/h", ...health)).stderr).toContain("127.0.0.1");
    const unknown = await svc("webhooks", "add", "https://127.0.0.1/h", "--events", "app.died");
    expect([unknown.status, unknown.stderr]).toEqual([2, expect.stringContaining("app.unhealthy")]);
    const created = await svc("deploy-key", "create");
    expect(created.stdout).toMatch(/^ssh-ed25519 /);
    expect((await svc("deploy-key", "show")).stdout).toMatch(/\nSHA256:/);
    expect((await svc("deploy-key", "remove")).status).toBe(0);
    expect((await svc("deploy-key", "show")).status).toBe(1);
  });

  test("deploy --detach says that it waits while no server is there; cancel has nothing to cancel", async () => {
    const outcome = await svc("deploy", "--detach", "--json");
    expect(outcome.status).toBe(0);
    expect(outcome.events.map(({ type }) => type)).toEqual(["queued", "done"]);
    expect(outcome.events[1]).toMatchObject({ status: "queued", deploy_id: null });
    const again = await svc("deploy", "--json");
    expect([again.status, again.events.at(-1)?.["code"]]).toEqual([1, "deploy_in_progress"]);
    expect((await svc("cancel")).stderr).toContain("No deploy of shop runs.");
    expect((await svc("rollback")).status).toBe(1);
    expect((await svc("logs")).stdout).toBe("");
    expect((await svc("logs", "--release", "v9")).stderr).toContain('No container of the release "v9" of shop');
  });

  test("completion scripts name commands and options", async () => {
    for (const shell of ["bash", "zsh", "fish"]) {
      const { status, stdout } = await svc("completion", shell);
      expect(status).toBe(0);
      for (const word of ["up", "env", "deploy-key", "rollback", "--json", "--release"]) {
        expect([shell, stdout.includes(word.replace("--", shell === "fish" ? "-l " : "--"))]).toEqual([shell, true]);
      }
    }
    expect((await svc("completion", "tcsh")).status).toBe(2);
  });

  test("bash completes commands, their second words and their options", async () => {
    const { stdout: script } = await svc("completion", "bash");
    const offered = (...words: string[]) => {
      const line = `COMP_WORDS=(svc ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}`;
      const all = `${script}\n${line}\n_svc\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
      return execFileSync("bash", ["--norc", "-c", all], { encoding: "utf8" }).trim().split("\n");
    };
    expect(offered("de")).toEqual(["deploy", "deploy-key"]);
    expect(offered("env", "pu")).toEqual(["pull", "push"]);
    expect(offered("up", "--l")).toEqual(["--local"]);
  });
});

describe("health", () => {
  test("status and apps say how an app is, since when, and what to do", async () => {
    const { database, keyRing } = world.http;
    const { db } = database;
    await world.caller.call("POST", "/api/apps", { name: "ill", repo_url: "https://github.com/you/ill" });
    await world.user.write({ "ill/svc.yaml": "# spec: svc/v1\nname: ill\n" });
    const serverId = await world.http.addServer("server-of-ill");
    await addLiveRelease({ db, keyRing }, { name: "ill", userId: world.caller.userId, serverId });
    const shown = async () => {
      const [{ stdout: status }, { stdout: apps }] = [await svc("status", "--dir", "ill"), await svc("apps")];
      return { status, apps: apps.split("\n").find((line) => line.startsWith("ill")) };
    };
    const since = new Date(Date.now() - 3.5 * 86_400_000).toISOString();
    const observe = (state: "healthy" | "unhealthy", reason: UnhealthyReason | null) =>
      db
        .updateTable("apps")
        .set({ health: JSON.stringify({ state, reason, since }) })
        .where("name", "=", "ill")
        .execute();
    const away = await shown();
    expect(away.status).toContain("\nHealth unknown: its server has not been heard of.");
    expect(away.apps).toMatch(/ill +running +unknown \(server away\) +v1 /);

    await recordLink(db, serverId, { processId: newId(), validMs: 600_000 }, new Date(Date.now() + 3_600_000));
    await db
      .insertInto("server_hearings")
      .values({ server_id: serverId, heard_at: new Date(Date.now() + 600_000) })
      .execute();
    await observe("healthy", null);
    const healthy = await shown();
    expect(healthy.status).toMatch(/^ill: running, v1, healthy\n/);
    expect(healthy.apps).toMatch(/ill +running +healthy +v1 /);
    await observe("unhealthy", "crash_loop");
    const looping = await shown();
    expect(looping.status).toMatch(/^ill: running, v1\n/);
    expect(looping.status).toContain(`\nUnhealthy for 3 days: it ends again and again. \`svc logs\` shows`);
    expect(looping.apps).toMatch(/ill +running +unhealthy \(crash loop\) +v1 /);
    for (const reason of ["out_of_memory", "not_listening", "gone"] as const) {
      await observe("unhealthy", reason);
      expect((await shown()).status).toMatch(new RegExp(`\nUnhealthy for 3 days: \\S.+\\. \\S.+\\.\n`));
    }
    expect(JSON.parse((await svc("status", "--dir", "ill", "--json")).stdout)).toMatchObject({
      app: { health: { state: "unhealthy", reason: "gone", since } },
    });
  });
});

describe("exit statuses", () => {
  test("3 without a key, with a wrong one, and with one that is not for this address", async () => {
    const none = await world.user.svc(["apps"], { env: { SVC_API_KEY: "" } });
    const wrong = await world.user.svc(["apps"], { env: { SVC_API_KEY: "svc_wrong-canary" } });
    expect([none.status, wrong.status]).toEqual([3, 3]);
    expect(wrong.stderr).toContain(world.url);
    expect(wrong.stderr + wrong.stdout).not.toContain("wrong-canary");
  });

  test("4 when nobody answers, with the address and what to check", async () => {
    const outcome = await world.user.svc(["apps", "--json"], { env: { SVC_URL: "http://127.0.0.1:9" } });
    expect(outcome.status).toBe(4);
    expect(outcome.events).toMatchObject([{ type: "error", code: "unreachable", exit: 4 }]);
    expect(outcome.events[0]?.["message"]).toContain("http://127.0.0.1:9");
  });

  test.each([
    [["lgs"], "There is no command"],
    [["env", "sett"], "There is no command"],
    [["up", "--colour"], "--colour"],
    [["plan", "a", "b"], "one argument too many"],
    [["apps", "--dir", "/nonexistent"], "no folder"],
    [["logs", "-n", "501"], "1 to 500"],
    [["logs", "--release", "v1", "--deploy", "x"], "not both"],
    [["logs", "--release", "v1", "-f"], "--follow goes with neither"],
    [["logs", "--since", "2h", "-f"], "go with neither --follow nor --release nor --deploy"],
    [["apps", "--url", "ftp://x"], "https://"],
    [["apps", "--url", "https://you:pw-canary@x"], "without credentials"],
  ])("2 for %j", async (argv, sentence) => {
    const outcome = await world.user.svc(argv);
    expect([outcome.status, outcome.stdout]).toEqual([2, ""]);
    expect(outcome.stderr).toContain(sentence);
    expect(outcome.stderr).not.toContain("pw-canary");
  });

  test("2 for a spec file with mistakes, each with its place", async () => {
    const spec = "# spec: svc/v1\nname: Shop\nport: 70000\nservices:\n  db:\n    engine: mysql\ncolour: red\n";
    await world.user.write({ "wrong/svc.yaml": spec });
    const plain = await world.user.svc(["up", "--dir", "wrong"]);
    expect([plain.status, plain.stdout]).toEqual([2, ""]);
    const lines = plain.stderr.trim().split("\n");
    expect(lines.map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
      "svc.yaml:2:7: name:",
      "svc.yaml:3:7: port:",
      "svc.yaml:6:13: services.db.engine:",
      "svc.yaml:7:1: colour:",
    ]);
    const json = await world.user.svc(["up", "--dir", "wrong", "--json"]);
    expect(json.events).toMatchObject([{ type: "error", code: "bad_spec", exit: 2, file: "svc.yaml" }]);
    expect(json.events[0]?.["problems"]).toHaveLength(4);
  });

  test("0 for help, of everything, a group and a command", async () => {
    for (const argv of [[], ["help"], ["--help"], ["env", "--help"], ["up", "-h"]]) {
      const outcome = await world.user.svc(argv);
      expect([argv, outcome.status, outcome.stderr]).toEqual([argv, 0, ""]);
      expect(outcome.stdout).toContain("svc");
    }
  });
});

describe("login and logout", () => {
  test("store a key that the service accepts where only the user reads it, and revoke it", async () => {
    const env = { SVC_URL: "", SVC_API_KEY: "" };
    const { key } = await world.http.addCaller();
    const refused = await world.user.svc(["login", "--url", world.url], { env, stdin: "svc_not-a-key\n" });
    expect(refused.status).toBe(3);
    const login = await world.user.svc(["login", "--url", world.url], { env, stdin: `${key}\n` });
    expect([login.status, login.stderr]).toEqual([0, ""]);
    expect(login.stdout).not.toContain(key);
    const file = join(world.user.home, ".config/svc/credentials.json");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(file, ".."))).mode & 0o777).toBe(0o700);
    expect(await readFile(file, "utf8")).toContain(key);
    expect((await world.user.svc(["apps"], { env })).status).toBe(0);

    // The key stays with the address that it was stored for.
    const elsewhere = await world.user.svc(["apps"], { env: { ...env, SVC_URL: "http://127.0.0.1:9" } });
    expect(elsewhere.status).toBe(3);

    expect((await world.user.svc(["logout"], { env })).status).toBe(0);
    expect(await readFile(file, "utf8")).not.toContain(key);
    expect((await world.user.svc(["apps"], { env })).status).toBe(3);
    expect((await world.user.svc(["logout"], { env })).status).toBe(2);
  });
});

describe("up makes nothing of", () => {
  const made = async (): Promise<unknown> => {
    const { db } = world.http.database;
    const [apps, repositories] = [db.selectFrom("apps").select("id"), db.selectFrom("repositories").select("id")];
    return { apps: await apps.execute(), repositories: await repositories.execute() };
  };

  test.each([
    ["a folder without files", "empty", ["--app", "fresh"], /has no files to deploy/],
    [
      "a root that is no folder",
      "full",
      ["--app", "fresh", "--root", "apps/none"],
      /has no folder "apps\/none": check --root/,
    ],
    [
      "a name that can't be an app's",
      "full",
      ["--app", "Bad_Name"],
      /^Error: --app "Bad_Name": .*can't be a subdomain/,
    ],
  ])("%s", async (_name, folder, options, sentence) => {
    await mkdir(join(world.user.folder, "empty"), { recursive: true });
    await world.user.write({ "full/index.html": "<h1>full</h1>" });
    const before = await made();
    const outcome = await svc("up", "--dir", folder, ...options);
    expect(outcome).toMatchObject({ status: 2, stderr: expect.stringMatching(sentence) });
    expect(await made()).toEqual(before);
  });
});
