import { test as base } from "vitest";
import { startFleetWorld } from "./fleet-world.ts";

/** A fleet for the file, with its database, authority and links; after each test its agents are gone. */
export const fleetTest = base
  .extend("fleet", { scope: "file" }, async ({}, { onCleanup }) => {
    const fleet = await startFleetWorld();
    onCleanup(() => fleet.stop());
    return fleet;
  })
  .extend("world", { auto: true }, ({ fleet }, { onCleanup }) => {
    onCleanup(() => fleet.tidy());
    return fleet;
  })
  .extend("database", { scope: "file" }, ({ fleet }) => fleet.database)
  .extend("authority", { scope: "file" }, ({ fleet }) => fleet.authority)
  .extend("links", { scope: "file" }, ({ fleet }) => fleet.links);
