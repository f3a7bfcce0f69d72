import { test as base } from "vitest";
import { DeployingApi } from "./deploying-api.ts";
import { startTestApi } from "./http.ts";

/** An API for the file, and `query` for its database; for each test a server with a scripted agent, a worker, and an app. */
export const deployingTest = base
  .extend("http", { scope: "file" }, async ({}, { onCleanup }) => {
    const http = await startTestApi();
    onCleanup(() => http.stop());
    return http;
  })
  .extend("query", { scope: "file" }, ({ http }) => {
    return async (text: string, values: unknown[] = []) => (await http.database.query(text, values)).rows;
  })
  .extend("setup", { auto: true }, async ({ http }, { onCleanup }) => {
    const setup = await DeployingApi.start(http);
    onCleanup(() => setup.stopWorker());
    return setup;
  })
  .extend("app", { auto: true }, ({ setup }) => setup.addApp());
