import { test as base } from "vitest";
import { ScriptedAgent } from "../agent/scripted-agent.ts";
import { createTestDatabase } from "../database/postgres.ts";
import { addServer, quickTiming, startWorker, type Worker } from "./pipeline.ts";

/**
 * A database for the file; for each test a control plane's worker on it, a server, and its agent, which is not linked
 * yet; a test may start further workers.
 */
export const pipelineTest = base
  .extend("database", { scope: "file" }, async ({}, { onCleanup }) => {
    const database = await createTestDatabase();
    onCleanup(() => database.drop());
    return database;
  })
  .extend("timing", () => quickTiming)
  .extend("worker", { auto: true }, async ({ database, timing }, { onCleanup }) => {
    const worker = await startWorker(database, timing);
    onCleanup(() => worker.stop());
    return worker;
  })
  .extend("startFurtherWorker", async ({ database, timing }, { onCleanup }) => {
    const started: Worker[] = [];
    onCleanup(async () => void (await Promise.all(started.map((each) => each.stop()))));
    return async () => {
      const further = await startWorker(database, timing);
      started.push(further);
      return further;
    };
  })
  .extend("agent", () => new ScriptedAgent())
  .extend("serverId", ({ database }) => addServer(database.db));
