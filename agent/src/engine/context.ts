import type { Logger } from "@svc/shared/platform/logger.ts";
import type Docker from "dockerode";
import type { Cidr } from "./network/address-block.ts";
import type { Serialize } from "../platform/serialize.ts";
import type { HostNames } from "./network/host-names.ts";

/** The limit of a container's writable layer. */
export interface LayerLimit {
  bytesMax: number;
  /** Is undefined until the engine has made a container without the limit and none with it. */
  isEnforceable: boolean;
}

/** The context that the files of this room work with. */
export interface DockerContext {
  docker: Docker;
  /** Value of the `svc.server` label; nothing without it is seen or touched. */
  serverId: string;
  addressBlock: Cidr;
  names: HostNames;
  /** Official name of a base image → where this host gets it. */
  resolveImage: (officialName: string) => string;
  /** Runs pieces of work of one key one after another. */
  serialize: Serialize;
  layer: LayerLimit;
  /** Keeps apps and builds from other apps' containers and from link-local addresses; @throws SvcError isolation_unavailable */
  ensureRoutingRules: () => Promise<void>;
  log: Logger;
}
