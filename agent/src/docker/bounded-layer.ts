import type { Container, ContainerCreateOptions } from "dockerode";
import type { DockerContext } from "./context.ts";
import { engineMessage, isConnectionError } from "./errors.ts";

/**
 * Makes the container with a limit of its layer that the kernel enforces, where the engine can: overlay2 does on xfs with
 * project quotas. Only trying tells, and an engine that can't says so in words of its own. Elsewhere the layer is watched
 * (bounds/watch-disk.ts), as files and volumes are everywhere.
 */
export async function createBounded(
  { docker, layer, log }: Pick<DockerContext, "docker" | "layer" | "log">,
  body: ContainerCreateOptions,
): Promise<Container> {
  if (!layer.isEnforceable) return docker.createContainer(body);
  const StorageOpt = { size: String(layer.bytesMax) };
  try {
    return await docker.createContainer({ ...body, HostConfig: { ...body.HostConfig, StorageOpt } });
  } catch (error) {
    if (isConnectionError(error)) throw error;
    const container = await docker.createContainer(body);
    log.info({ reason: engineMessage(error) }, "the engine can't limit what a container writes; it is watched");
    layer.isEnforceable = false;
    return container;
  }
}
