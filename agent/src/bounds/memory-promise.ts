import { SvcError } from "@svc/shared/errors.ts";
import { mebibytes } from "../platform/byte-size.ts";
import { promisableBytes, promisedByApp, sumOf, type PromisedContainer } from "./memory-sum.ts";
import type { ContainerSpec, Engine } from "../ports.ts";
import { createSerializer } from "../platform/serialize.ts";

export interface MemoryPromise {
  /** The engine, whose `run` and `scale` refuse what the memory does not hold. @throws SvcError server_memory_full */
  engine: Engine;
  /** Refuses to start a stopped app while more is promised than the host has. @throws SvcError server_memory_full */
  requireKept(appName: string): Promise<void>;
}

/**
 * Makes an engine that never promises more memory than there is, however many ask at the same time.
 * @param totalBytes the memory of the machines that run apps
 */
export function createMemoryPromise(engine: Engine, totalBytes: () => Promise<number>): MemoryPromise {
  /** Containers that are being made: the engine does not list them yet. */
  const coming = new Set<PromisedContainer>();
  const oneAtATime = createSerializer();

  async function total(): Promise<number> {
    return promisableBytes(await totalBytes());
  }

  /** Promises the memory, as the next who asks finds it, until the returned function is called. */
  function reserve(spec: Wanted): Promise<() => void> {
    return oneAtATime("reserve", async () => {
      const { app, role, memoryBytes, copies = 1 } = spec;
      const wanted = { appId: app.id, role, state: "running", memoryBytes, copies: { wanted: copies } };
      const there = [...(await engine.list({})), ...coming];
      const [before, after] = [promisedByApp(there), promisedByApp([...there, wanted])];
      const asked = (after.get(spec.app.id) ?? 0) - (before.get(spec.app.id) ?? 0);
      const [promised, promisable] = [sumOf(before), await total()];
      // An app that gets no more than it has been promised is deployed also where too much is promised already.
      if (asked > 0 && promised + asked > promisable) throw refusedDeploy(spec, { promised, asked, promisable });
      coming.add(wanted);
      return () => coming.delete(wanted);
    });
  }

  async function run(spec: ContainerSpec, signal?: AbortSignal): ReturnType<Engine["run"]> {
    const giveBack = await reserve(spec);
    try {
      return await engine.run(spec, signal);
    } finally {
      giveBack();
    }
  }

  async function scale(id: string, copies: number): Promise<void> {
    const container = (await engine.list({})).find((each) => each.id === id);
    if (container === undefined) return engine.scale(id, copies);
    const { appId, appName, role, memoryBytes } = container;
    const giveBack = await reserve({ app: { id: appId, name: appName }, role, memoryBytes, copies });
    try {
      await engine.scale(id, copies);
    } finally {
      giveBack();
    }
  }

  return {
    // Every other call is the engine's own.
    engine: Object.assign(Object.create(engine) as Engine, { run, scale }),
    async requireKept(appName) {
      const [promised, promisable] = [sumOf(promisedByApp(await engine.list({}))), await total()];
      if (promised > promisable) throw refusedStart(appName, { promised, promisable });
    },
  };
}

type Wanted = Pick<ContainerSpec, "app" | "role" | "memoryBytes" | "copies">;

function refusedDeploy(
  { app, role }: Wanted,
  { promised, asked, promisable }: { promised: number; asked: number; promisable: number },
): SvcError {
  const what = role === "app" ? `The app ${app.name}` : `The database of ${app.name}`;
  return new SvcError(
    "server_memory_full",
    `${what} asks for ${mebibytes(asked)} of memory, and ${mebibytes(promised)} of the server's ${mebibytes(promisable)} ` +
      "are promised to apps and databases already. Ask for less with `resources.memory` in the deploy spec, delete an app " +
      "that is not needed, or have whoever runs this service add memory, then deploy again.",
  );
}

function refusedStart(appName: string, { promised, promisable }: { promised: number; promisable: number }): SvcError {
  return new SvcError(
    "server_memory_full",
    `The app ${appName} was not started: ${mebibytes(promised)} of memory are promised to the apps and databases on the ` +
      `server, and it has ${mebibytes(promisable)}. Delete an app that is not needed, or have whoever runs this service ` +
      "add memory, then start it again.",
  );
}
