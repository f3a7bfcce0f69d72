import type { HostPort } from "@svc/shared/platform/env.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import type { createRpcServer } from "./rpc/server.ts";
import type { Identity } from "./identity.ts";
import { Link } from "./link.ts";
import { Listener } from "./listener.ts";

/** Where the agent and the control planes meet. */
interface Place {
  controlPlane: HostPort;
  /** Undefined: it dials out. */
  listen: HostPort | undefined;
}

interface Parts {
  identity: Identity;
  attach: ReturnType<typeof createRpcServer>["attach"];
  log: Logger;
  /** Whether a control plane is connected. */
  onChange(connected: boolean): void;
}

export interface FleetConnection {
  useIdentity(identity: Identity): void;
  /** Where it listens; undefined when it dials out. */
  address: HostPort | undefined;
  stop(): Promise<void>;
}

/** Waits for control planes where SVC_AGENT_LISTEN says so, and dials out otherwise. @throws SvcError when it can't listen */
export async function connectToFleet(
  { listen, controlPlane }: Place,
  { identity, attach, log, onChange }: Parts,
): Promise<FleetConnection> {
  if (!listen) {
    const link = new Link({ controlPlane, identity, attach, log, onChange });
    link.start();
    return { useIdentity: (renewed) => link.useIdentity(renewed), address: undefined, stop: () => link.stop() };
  }
  const listener = new Listener({ listen, identity, attach, log, onChange: (count) => onChange(count > 0) });
  const address = await listener.start();
  return { useIdentity: (renewed) => listener.useIdentity(renewed), address, stop: () => listener.stop() };
}
