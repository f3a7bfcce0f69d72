import { describe, expect } from "vitest";
import { FOLLOWED_MAX } from "@svc/agent/link/rpc/followed-logs.ts";
import type { ContainerRole } from "@svc/agent/ports.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { AGENT, app, type AgentWire } from "../support/agent/agent-wire.ts";
import { agentWireTest as test } from "../support/agent/agent-wire-test.ts";
import { eventually } from "../support/tools/eventually.ts";
import { errorOf, type Message } from "../support/agent/grpc-client.ts";

/** A container of the app, as a deploy leaves it; nothing listens on its port. */
function runApp(wire: AgentWire, deployId: string, role: ContainerRole = "app"): Promise<{ id: string }> {
  return wire.agent.engine.run({
    app,
    role,
    deployId,
    release: "v1",
    image: wire.agent.engine.addImage(app.id, deployId),
    env: {},
    port: 1,
    memoryBytes: 1,
    cpuMillis: 1,
    aliases: [],
    volumes: {},
    capabilities: [],
  });
}

describe("actions on an app over the wire", () => {
  test("happen one after another, in the order in which they were asked for", async ({ wire }) => {
    const { id: containerId } = await runApp(wire, newId());
    const route = { host: "shop.test", appId: app.id, containerId, upstream: "127.0.0.1:1", state: "serving" } as const;
    await wire.agent.proxy.setRoutes(app.id, [route]);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const calls: string[] = [];
    wire.agent.engine.stop = async () => {
      calls.push("stop begins");
      await released;
      calls.push("stop ends");
    };
    wire.agent.engine.start = async () => {
      calls.push("start");
      throw new SvcError("not_found", "It is gone.");
    };
    const stopping = wire.call("StopApp", { app });
    await eventually(
      () => calls,
      ({ length }) => length === 1,
      { what: "the stop has begun" },
    );
    const starting = errorOf(wire.call("StartApp", { app }));
    // Answered on the same connection after the start has come in.
    await wire.call("GetStatus", {});
    expect(calls).toEqual(["stop begins"]);
    release();
    await stopping;
    expect((await starting).detail).toBe("not_found");
    expect(calls).toEqual(["stop begins", "stop ends", "start"]);
  });
});

describe("an action that waits for the app to listen", () => {
  test("ends when something else is asked of the app", async ({ wire }) => {
    const { id: containerId } = await runApp(wire, newId());
    const route = { host: "shop.test", appId: app.id, containerId, upstream: "127.0.0.1:1", state: "serving" } as const;
    await wire.agent.proxy.setRoutes(app.id, [route]);
    const started = Promise.withResolvers<void>();
    const start = wire.agent.engine.start;
    wire.agent.engine.start = async (id) => {
      await start(id);
      started.resolve();
    };
    const starting = errorOf(wire.call("StartApp", { app }));
    await started.promise;
    await wire.call("StopApp", { app });
    expect((await starting).detail).toBe("app_not_listening");
    expect((await wire.agent.engine.list({ appId: app.id }))[0]?.state).toBe("exited");
  });
});

describe("an app's log over the wire", () => {
  test("comes from its container; an app without one is not found", async ({ wire }) => {
    const logs = (): AsyncGenerator<Message> => wire.client.stream(`${AGENT}/StreamLogs`, { app, lines: 10 });
    expect((await errorOf(logs().next())).detail).toBe("not_found");
    await runApp(wire, newId());
    wire.agent.engine.knobs.log = [{ time: new Date(0), text: "hello" }];
    const messages: Message[] = [];
    for await (const message of logs()) messages.push(message);
    expect(messages).toMatchObject([{ lines: [{ text: "hello" }] }]);
  });

  test("has the platform's notices of its container, the log of requests has not, and a purge takes them", async ({
    wire,
  }) => {
    const { engine } = wire.agent;
    const { id } = await runApp(wire, newId());
    const database = await runApp(wire, newId(), "database");
    const textsOf = async (request: object): Promise<string[]> => {
      const texts: string[] = [];
      for await (const message of wire.client.stream(`${AGENT}/StreamLogs`, { app, lines: 10, ...request })) {
        texts.push(...(message["lines"] as { text: string }[]).map(({ text }) => text));
      }
      return texts;
    };
    engine.exhaustMemory(id);
    await engine.stop(id, 0);
    await engine.stop(database.id, 0);
    await eventually(
      () => textsOf({}),
      ({ length }) => length === 3,
      { what: "all notices are in the log" },
    );
    expect(await textsOf({})).toEqual([
      expect.stringMatching(/^\[platform\] The app reached its memory limit of/),
      "[platform] The app ended with exit code 143.",
      "[platform] The app's database ended with exit code 143.",
    ]);
    expect(await textsOf({ source: "LOG_SOURCE_ACCESS" })).toEqual([]);
    const { status } = await wire.call("GetStatus", {});
    expect((status as Message)["last_errors"]).toMatchObject([
      { code: "out_of_memory", message: expect.stringContaining(`The app ${app.name} reached its memory limit`) },
    ]);
    // The dummy has no database that could be dumped.
    await engine.remove(database.id);
    await wire.call("RemoveApp", { app, purge: true });
    await runApp(wire, newId());
    expect(await textsOf({})).toEqual([]);
  });

  test("outlives its container, is found by deploy and by release, and a purge takes it", async ({ wire }) => {
    const { engine } = wire.agent;
    const textsOf = async (of: object): Promise<string[]> => {
      const texts: string[] = [];
      for await (const message of wire.client.stream(`${AGENT}/StreamLogs`, { app, lines: 10, ...of })) {
        texts.push(...(message["lines"] as { text: string }[]).map(({ text }) => text));
      }
      return texts;
    };
    const [failed, live] = [newId(), newId()];
    engine.knobs.log = [{ time: new Date(1), text: "why it failed" }];
    await runApp(wire, failed);
    await wire.call("RemoveApp", { app });
    engine.knobs.log = [{ time: new Date(2), text: "it serves" }];
    await runApp(wire, live);
    expect(await textsOf({ deploy_id: failed })).toEqual(["why it failed"]);
    expect(await textsOf({ deploy_id: live })).toEqual(["it serves"]);
    // The newest of the release's containers.
    expect(await textsOf({ release: "v1" })).toEqual(["it serves"]);
    for (const none of [{ deploy_id: newId() }, { release: "v2" }]) {
      expect((await errorOf(textsOf(none))).detail).toBe("not_found");
    }
    for (const refused of [
      { deploy_id: failed, release: "v1" },
      { deploy_id: failed, follow: true },
      { release: "v1", source: "LOG_SOURCE_ACCESS" },
      { deploy_id: "../x" },
    ]) {
      expect((await errorOf(textsOf(refused))).detail).toBe("invalid_request");
    }
    await wire.call("RemoveApp", { app, purge: true });
    for (const deploy_id of [failed, live]) expect((await errorOf(textsOf({ deploy_id }))).detail).toBe("not_found");
  });

  test("is followed by so many calls of an app at a time, and a place that is left is free", async ({ wire }) => {
    await runApp(wire, newId());
    wire.agent.engine.knobs.log = [{ time: new Date(0), text: "hello" }];
    const follow = () => wire.client.stream(`${AGENT}/StreamLogs`, { app, lines: 10, follow: true });
    const followed = Array.from({ length: FOLLOWED_MAX }, follow);
    for (const each of followed) expect((await each.next()).value).toMatchObject({ lines: [{ text: "hello" }] });
    expect((await errorOf(follow().next())).detail).toBe("too_many_streams");
    await followed.pop()!.return(undefined);
    await eventually(
      async () => {
        const one = follow();
        const isLetIn = await one.next().then(
          () => true,
          () => false,
        );
        await one.return(undefined);
        return isLetIn;
      },
      Boolean,
      { what: "a place is free" },
    );
    for (const each of followed) await each.return(undefined);
  });
});
