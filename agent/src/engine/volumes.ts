import { readdir } from "node:fs/promises";
import { basename, dirname, isAbsolute } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";
import { appLabels, labelFilter, LABEL_APP, LABEL_SERVER } from "@svc/shared/rules/labels.ts";
import { volumeName } from "./containers/container-spec.ts";
import type { AppRef } from "../ports.ts";
import type { DockerContext } from "./context.ts";
import { statusOf, unless } from "./errors.ts";
import type { VolumeInspectInfo } from "dockerode";

/** Makes the volume, or finds it with the data that it holds. */
export async function ensureVolume(ctx: DockerContext, app: AppRef, purpose: string): Promise<void> {
  const name = volumeName(app, purpose);
  // The engine answers with an existing volume of that name, whoever made it.
  const make = async (): Promise<VolumeInspectInfo> => {
    await ctx.docker.createVolume({ Name: name, Labels: { ...appLabels(ctx.serverId, app) } });
    return ctx.docker.getVolume(name).inspect();
  };
  const isOurs = ({ Labels: labels }: VolumeInspectInfo): boolean => labels?.[LABEL_SERVER] === ctx.serverId;
  const volume = await make();
  if (isOurs(volume)) return;
  if (await isHalfMade(volume)) {
    // In use, it stays, and is refused below.
    await unless([404, 409], ctx.docker.getVolume(name).remove());
    if (isOurs(await make())) return;
  }
  throw new SvcError(
    "name_taken",
    `The server has a volume ${name} that this agent did not make. Remove or rename it, then deploy again. If this host was ` +
      "another server before, let it be that one again (`server token --for NAME`): the volume may hold an app's data.",
  );
}

/**
 * An engine that was killed while it made a volume has made the directories, or the outer one, and not noted the labels. A
 * volume that holds anything, or lies elsewhere, is somebody's (decision 041).
 */
async function isHalfMade({
  Driver: driver,
  Labels: labels,
  Options: options,
  Mountpoint: directory,
}: VolumeInspectInfo): Promise<boolean> {
  if (driver !== "local" || !isAbsolute(directory)) return false;
  if (Object.keys({ ...labels, ...options }).length > 0) return false;
  const around = await readdir(dirname(directory)).catch(() => undefined);
  if (around === undefined || around.some((name) => name !== basename(directory))) return false;
  return around.length === 0 || (await readdir(directory)).length === 0;
}

/** Purposes of the app's volumes. */
export async function listVolumes(ctx: DockerContext, app: AppRef): Promise<string[]> {
  const prefix = volumeName(app, "");
  const names = await volumeNames(ctx, app);
  return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}

async function volumeNames(ctx: DockerContext, app: AppRef): Promise<string[]> {
  const filters = labelFilter({ [LABEL_SERVER]: ctx.serverId, [LABEL_APP]: app.id });
  const { Volumes: volumes } = await ctx.docker.listVolumes({ filters });
  return (volumes ?? []).map(({ Name: name }) => name);
}

export async function removeVolumes(ctx: DockerContext, app: AppRef): Promise<void> {
  for (const name of await volumeNames(ctx, app)) {
    try {
      await unless([404], ctx.docker.getVolume(name).remove());
      ctx.log.info({ app: app.id, volume: name }, "volume removed");
    } catch (error) {
      if (statusOf(error) !== 409) throw error;
      throw new SvcError(
        "internal",
        `The volume ${name} is still used by a container: remove the app's containers first.`,
        { cause: error },
      );
    }
  }
}
