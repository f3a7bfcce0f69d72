import { test as base } from "vitest";
import { makeFleetCertificates, startAgentWire } from "./agent-wire.ts";

/** The certificates of a fleet for the file; for each test an agent that waits to be dialled, and its client. */
export const agentWireTest = base
  .extend("certificates", { scope: "file" }, () => makeFleetCertificates())
  .extend("wire", async ({ certificates }, { onCleanup }) => {
    const wire = await startAgentWire(certificates);
    onCleanup(() => wire.stop());
    return wire;
  });
