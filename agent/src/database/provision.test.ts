import { newId } from "@svc/shared/rules/ids.ts";
import { expect, test } from "vitest";
import { createDummyEngine } from "../dummy/engine.ts";
import { provisionDatabase } from "./provision.ts";

const REQUEST = { version: "16", databaseName: "shop", further: [], role: "shop", password: "a".repeat(16) };

test.each([
  [
    "is the engine's, which found it so when it was started again, and may be tried once more",
    255,
    "engine_unavailable",
  ],
  ["is the database's own otherwise", 1, "database_not_ready"],
])("the end of a database while it starts %s", async (_case, exitCode, code) => {
  const engine = createDummyEngine();
  engine.knobs.exits = { exitCode, outOfMemory: false };
  const app = { id: newId(), name: "shop" };
  const output = { progress: () => undefined, log: () => undefined };
  const { signal } = new AbortController();
  await expect(provisionDatabase({ engine, app, output, signal }, REQUEST)).rejects.toMatchObject({ code });
});
