import { create } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { newId } from "@svc/shared/rules/ids.ts";
import { DeployContainerSpecSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { deployContainer } from "@svc/agent/steps/deploy-container.ts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toEnvVars } from "../../support/api/env-vars.ts";
import { createTestEngine, newApp, nodeContainer } from "../../support/engine/docker.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { createTestStep } from "../../support/agent/step-context.ts";
import { promise } from "../../support/promises/promise.ts";

/** One image for all: MODE says what the app does. Answers every request with its env as JSON. */
const APP = `
const { MODE, PORT } = process.env;
const serve = (port, host) => require("http").createServer((q, r) => r.end(JSON.stringify(process.env))).listen(port, host);
const eat = () => { const eaten = []; setInterval(() => eaten.push(Buffer.alloc(8 << 20, 1)), 1) };
const feedChild = (then) =>
  require("child_process").spawn(process.execPath, ["-e", "(" + eat + ")()"]).on("exit", then);
const modes = {
  serve: () => serve(PORT, "0.0.0.0"),
  slow: () => setTimeout(() => serve(PORT, "0.0.0.0"), 700),
  elsewhere: () => serve(8081, "0.0.0.0"),
  loopback: () => serve(PORT, "127.0.0.1"),
  first: () => require("http").createServer((q, r) => { r.end(); serve(PORT, "0.0.0.0") }).listen(8081),
  silent: () => setInterval(() => {}, 1000),
  exit: () => { for (let i = 1; i <= 30; i++) console.error("line " + i); process.exitCode = 3 },
  leave: () => console.log("nothing to do"),
  eat,
  child: () => feedChild(() => serve(PORT, "0.0.0.0")),
  orphan: () => feedChild(() => process.exit(5)),
};
modes[MODE]();
`;

const testEngine = createTestEngine();
const { engine, docker, names } = testEngine;
const app = newApp();
let imageDigest = "";

beforeAll(async () => {
  imageDigest = await testEngine.makeImage(app, newId(), APP);
});
afterAll(() => testEngine.cleanUp());

type Fields = Omit<MessageInitShape<typeof DeployContainerSpecSchema>, "env" | "$typeName"> & {
  env?: Record<string, string>;
};

function spec({ env, ...fields }: Fields = {}) {
  return create(DeployContainerSpecSchema, {
    imageDigest,
    port: 3000,
    memoryBytes: 96n << 20n,
    cpuMillis: 1000,
    release: "v1",
    probeSeconds: 20,
    ...fields,
    env: toEnvVars({ PORT: "3000", ...env }),
  });
}

function prepare(signal?: AbortSignal) {
  return createTestStep({ app, deployId: newId(), engine, ...(signal && { signal }) });
}

async function run(mode: string, fields: Fields = {}) {
  const { ctx } = prepare();
  const output = await deployContainer.run(ctx, spec({ ...fields, env: { MODE: mode, ...fields.env } }));
  if (output.case !== "deployContainer") throw new Error("another step's output");
  return { ctx, containerId: output.value.containerId ?? "", upstream: output.value.upstream ?? "" };
}

/** The step fails so, and its container is gone. */
async function expectFailure(mode: string, fields: Fields, code: string) {
  const { ctx } = prepare();
  const error: unknown = await deployContainer
    .run(ctx, spec({ ...fields, env: { MODE: mode, ...fields.env } }))
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code });
  expect(await engine.list({ deployId: ctx.deployId })).toEqual([]);
  return (error as Error).message;
}

describe("an app that serves", () => {
  test("is reachable at the upstream when the step ends, and comes back after a reboot", async () => {
    const { containerId, upstream } = await run("slow");
    expect((await fetch(`http://${upstream}`)).status).toBe(200);
    const { HostConfig: host } = await docker.getContainer(containerId).inspect();
    expect(host.RestartPolicy?.Name).toBe("unless-stopped");
  });

  test("may open another port first: whoever waits is told of it within 5 s, and the wait goes on", async () => {
    const { ctx, lines } = prepare();
    const running = deployContainer.run(ctx, spec({ env: { MODE: "first" } }));
    running.catch(() => undefined);
    const isTold = (text: string) =>
      eventually(
        () => lines,
        (all) => all.join().includes(text),
        { what: text, deadlineMs: 5_000 },
      );
    await isTold("waiting for port 3000");
    await isTold("Put `port: 8081` into svc.yaml");
    const [container] = await engine.list({ deployId: ctx.deployId });
    await fetch(`http://${container!.address}:8081`);
    expect((await running).case).toBe("deployContainer");
    expect(lines.at(-1)).toBe("The app accepts connections on port 3000.");
  });

  test("gets every env value byte for byte", async () => {
    // Outside of this alphabet nothing may be different, so each property run carries many values at once.
    const value = fc.string({ unit: "binary", maxLength: 200 }).filter((text) => !text.includes("\0"));
    const nasty = {
      A: "$HOME `id` $(id) \"'\\",
      B: "two\nlines\r\n",
      C: "a=b=c #x",
      D: "",
      ["__proto__"]: "text",
      E: " \t",
      F: "ü€😀\u2028",
    };
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 40, maxLength: 60 }), async (values) => {
        const env = { ...Object.fromEntries(values.map((text, index) => [`V_${index}`, text])), ...nasty };
        const { ctx, upstream } = await run("serve", { env });
        expect(await (await fetch(`http://${upstream}`)).json()).toMatchObject(env);
        await deployContainer.undo(ctx);
      }),
      { numRuns: 4 },
    );
  });

  test("is made once, however often the step runs", async () => {
    const { ctx } = prepare();
    const message = spec({ env: { MODE: "serve" } });
    const first = await deployContainer.run(ctx, message);
    expect(await deployContainer.run(ctx, message)).toEqual(first);
    expect(await engine.list({ deployId: ctx.deployId })).toHaveLength(1);
  });

  test("is started anew by the run after one that a reboot interrupted", async () => {
    const { ctx } = prepare();
    const message = spec({ env: { MODE: "serve" } });
    const first = await engine.run({
      ...nodeContainer(app, ""),
      deployId: ctx.deployId,
      image: imageDigest,
      command: ["node", "-e", APP],
      env: { MODE: "silent" },
    });
    await docker.getContainer(first.id).kill();
    const output = await deployContainer.run(ctx, message);
    expect(output.value).not.toMatchObject({ containerId: first.id });
    expect(await engine.list({ deployId: ctx.deployId })).toMatchObject([{ state: "running" }]);
  });

  test("whose child ran out of memory is served all the same", async () => {
    const { upstream } = await run("child");
    expect((await fetch(`http://${upstream}`)).status).toBe(200);
  });
});

describe("the release that serves", () => {
  test("stays up beside the new one, and its image is kept as the previous one", async () => {
    promise("rollback", "a deploy keeps the running image to go back to");
    const old = await run("serve");
    const { ctx, routes } = prepare();
    routes.push({
      host: "shop.example",
      appId: app.id,
      containerId: old.containerId,
      upstream: old.upstream,
      state: "serving",
    });
    await deployContainer.run(ctx, spec({ env: { MODE: "serve" } }));
    expect((await fetch(`http://${old.upstream}`)).status).toBe(200);
    expect((await docker.getImage(`${names.repositoryOf(app.id)}:previous`).inspect()).Id).toBe(imageDigest);
  });

  test("is never undone while a route leads to it", async () => {
    const { ctx, containerId, upstream } = await run("serve");
    await ctx.proxy.setRoutes(app.id, [
      { host: "shop.example", appId: app.id, containerId, upstream, state: "serving" },
    ]);
    await deployContainer.undo(ctx);
    expect((await fetch(`http://${upstream}`)).status).toBe(200);
    await ctx.proxy.setRoutes(app.id, []);
    await deployContainer.undo(ctx);
    await deployContainer.undo(ctx);
    expect(await engine.list({ deployId: ctx.deployId })).toEqual([]);
  });
});

describe("an app that does not serve is removed, and its owner is told why", () => {
  test("it exits at once: exit code and last log lines", async () => {
    const message = await expectFailure("exit", {}, "app_exited");
    expect(message).toContain("exit code 3");
    expect(message).toContain("line 11\nline 12");
    expect(message).toContain("line 30");
    expect(message).not.toContain("line 10\n");
  });

  test("it ends without an error", async () => {
    expect(await expectFailure("leave", {}, "app_exited")).toContain("a web app must keep running");
  });

  test("it eats its memory: the cap", async () => {
    expect(await expectFailure("eat", {}, "app_out_of_memory")).toContain("96 MiB");
  });

  test("it ends because a child ate the memory: its own exit code, and the cap", async () => {
    const message = await expectFailure("orphan", {}, "app_exited");
    expect(message).toContain("exit code 5");
    expect(message).toContain("One of its processes had used more than the app's 96 MiB");
  });

  test("it listens on another port: which one", async () => {
    const message = await expectFailure("elsewhere", { probeSeconds: 4 }, "app_not_listening");
    expect(message).toContain("It listens on port 8081. Put `port: 8081` into svc.yaml");
  });

  test("it listens on another port: told while there is time left, once", async () => {
    const { ctx, lines } = prepare();
    await expect(deployContainer.run(ctx, spec({ probeSeconds: 3, env: { MODE: "elsewhere" } }))).rejects.toMatchObject(
      {
        code: "app_not_listening",
      },
    );
    expect(lines).toEqual([
      "starting the container",
      "waiting for port 3000",
      "Still waiting for port 3000, 3 s at most.",
      "It listens on port 8081.",
      "Put `port: 8081` into svc.yaml, or make it listen on $PORT.",
      "A port in the app's settings goes before that: change it there.",
    ]);
  });

  test("it listens on loopback only", async () => {
    const message = await expectFailure("loopback", { probeSeconds: 4 }, "app_not_listening");
    expect(message).toContain("only on 127.0.0.1");
  });

  test("it never listens", async () => {
    const message = await expectFailure("silent", { probeSeconds: 1 }, "app_not_listening");
    expect(message).toContain("listens on no port at all");
  });

  test("its image is gone", async () => {
    const imageDigest = `sha256:${"0".repeat(64)}`;
    expect(await expectFailure("serve", { imageDigest }, "not_found")).toContain("Deploy again to build it");
  });

  test("the image is another app's", async () => {
    const foreign = await testEngine.makeImage(newApp(), newId(), APP);
    await expectFailure("serve", { imageDigest: foreign }, "not_found");
  });

  test("the deploy is canceled while it is probed", async () => {
    const controller = new AbortController();
    const { ctx } = prepare(controller.signal);
    const result = deployContainer.run(ctx, spec({ env: { MODE: "silent" } }));
    result.catch(() => undefined);
    await eventually(
      () => engine.list({ deployId: ctx.deployId }),
      (containers) => containers.some(({ state }) => state === "running"),
      { what: "a running container" },
    );
    controller.abort(new Error("canceled by the user"));
    await expect(result).rejects.toThrow("canceled by the user");
    expect(await engine.list({ deployId: ctx.deployId })).toEqual([]);
  });
});

test("a step that died after its container was made is finished by the next run", async () => {
  const { ctx } = prepare();
  const interrupted = new Error("the agent died");
  const die = (): Promise<never> => Promise.reject(interrupted);
  const message = spec({ env: { MODE: "serve" } });
  for (const death of [
    { ensureNetwork: die },
    { run: (container: Parameters<typeof engine.run>[0]) => engine.run(container).then(die) },
  ]) {
    const dying = { ...ctx, engine: { ...engine, ...death } };
    await expect(deployContainer.run(dying, message)).rejects.toBe(interrupted);
  }
  await deployContainer.run(ctx, message);
  expect(await engine.list({ deployId: ctx.deployId })).toHaveLength(1);
});
