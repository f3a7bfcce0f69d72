import type { Container, ContainerCreateOptions } from "dockerode";
import type { DockerContext } from "../context.ts";
import { engineMessage } from "../errors.ts";

/** Each of the engine's drivers begins its refusal with the option's name: "--storage-opt is not supported for vfs". */
const REFUSAL = /^--storage-opt is (not )?supported /;

/**
 * Makes the container with a limit of its layer that the kernel enforces, where the engine can: overlay2 does on xfs with
 * project quotas. Only trying tells. Elsewhere the layer is watched
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
    const reason = engineMessage(error);
    if (!REFUSAL.test(reason)) throw error;
    log.info({ reason }, "the engine can't limit what a container writes; it is watched");
    layer.isEnforceable = false;
    return docker.createContainer(body);
  }
}
