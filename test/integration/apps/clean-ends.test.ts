import type { AppRef, ContainerState } from "@svc/agent/ports.ts";
import { imageLabels } from "@svc/shared/rules/labels.ts";
import { provisionDb } from "@svc/agent/steps/provision-db.ts";
import { create } from "@bufbuild/protobuf";
import { ProvisionDbSpecSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildBaseImage } from "../../support/engine/build-base-image.ts";
import { createTestEngine, newApp, nodeContainer } from "../../support/engine/docker.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { createTestStep } from "../../support/agent/step-context.ts";

const test = createTestEngine();
const { engine, docker } = test;
// A machine gets 16 alone by default.
beforeAll(() => buildBaseImage("postgres:15"));
afterAll(() => test.cleanUp());

/** The script says so when it is told to end, as a program does that has something to finish. */
const SCRIPT = "trap 'echo ended cleanly; exit 0' TERM; echo ready; while :; do sleep 0.1; done";
const PASSWORD = "correct-horse-battery-staple";
const AS_OTHER_USER = ["setpriv", "--reuid", "1000", "--regid", "1000", "--clear-groups"];

async function logOf(id: string): Promise<string> {
  const lines: string[] = [];
  for await (const batch of engine.logs(id, { lines: 200, follow: false }))
    lines.push(...batch.map(({ text }) => text));
  return lines.join("\n");
}

/** An image of the app, whose processes begin as `user`. */
async function imageOf(app: AppRef, base: string, user: string): Promise<string> {
  const Labels = { ...imageLabels(test.serverId, app, newId()) };
  const container = await docker.createContainer({ Image: base, Labels, Entrypoint: "", Cmd: ["true"] });
  const committed: unknown = await container.commit({ changes: `USER ${user}\nENTRYPOINT []` });
  await container.remove();
  return (committed as { Id: string }).Id;
}

it.each([
  // Generated Dockerfiles, those of the templates among them, end in these.
  { base: "node:22-slim", user: "node", becoming: "and stays so" },
  { base: "node:22-slim", user: "1000:1000", becoming: "and stays so" },
  { base: "python:3.11-slim", user: "1000:1000", becoming: "and stays so" },
  { base: "ruby:3.1-slim", user: "1000:1000", becoming: "and stays so" },
  { base: "debian:bookworm-slim", user: "1000:1000", becoming: "and stays so" },
  { base: "caddy:2", user: "1000:1000", becoming: "and stays so" },
  // Dockerfiles of people's own do the rest.
  { base: "caddy:2", user: "root", becoming: "and stays so" },
  { base: "node:22-slim", user: "root", becoming: "and stays so" },
  { base: "debian:bookworm-slim", user: "root", becoming: "and becomes another user" },
  { base: "debian:bookworm-slim", user: "0:1000", becoming: "and becomes another user" },
])("an app on $base that begins as $user $becoming is told to end", async ({ base, user, becoming }) => {
  const app = newApp();
  const command = [...(becoming === "and becomes another user" ? AS_OTHER_USER : []), "sh", "-c", SCRIPT];
  const { id } = await engine.run(nodeContainer(app, "", { image: await imageOf(app, base, user), command }));
  await eventually(
    () => logOf(id),
    (log) => log.includes("ready"),
    { what: "the app runs" },
  );
  await engine.stop(id, 5);
  expect(await logOf(id)).toBe("ready\nended cleanly");
  expect((await engine.list({ appId: app.id }))[0]).toMatchObject({ state: "exited", exitCode: 0 });
});

it.each(["15", "16"])(
  "a database of PostgreSQL %s that is stopped is shut down, and recovers nothing",
  async (version) => {
    const app = newApp();
    const container = await provision(app, version);
    // As `docker stop` of a person, and the engine's own end, do it.
    await docker.getContainer(container.id).stop();
    const ended = await logOf(container.id);
    expect(ended).toContain("received fast shutdown request");
    expect(ended).toContain("database system is shut down");
    expect(ended).not.toMatch(/not permitted/i);

    await provision(app, version);
    expect(await logOf(container.id)).not.toMatch(/not properly shut down|automatic recovery/);
  },
);

async function provision(app: AppRef, version: string): Promise<ContainerState> {
  const { ctx } = createTestStep({ app, deployId: newId(), engine });
  await provisionDb.run(
    ctx,
    create(ProvisionDbSpecSchema, { version, databaseName: "shop", role: "shop", password: PASSWORD }),
  );
  const [container] = await engine.list({ appId: app.id, role: "database" });
  return container!;
}
