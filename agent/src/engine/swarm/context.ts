import type { DockerContext } from "../context.ts";
import type { ClusterParts } from "./cluster-parts.ts";
import type { ClusterRegistry } from "./cluster-registry.ts";

/** The context that the files of this folder work with. */
export interface SwarmContext extends DockerContext {
  parts: ClusterParts;
  registry: ClusterRegistry;
}
