import { SvcError } from "@svc/shared/errors.ts";
import { appLabels, labelFilter, LABEL_APP, LABEL_SERVER } from "@svc/shared/rules/labels.ts";
import { volumeName } from "./containers/container-spec.ts";
import type { AppRef } from "../ports.ts";
import type { DockerContext } from "./context.ts";
import { statusOf, unless } from "./errors.ts";

/** Makes the volume, or finds it with the data that it holds. */
export async function ensureVolume(ctx: DockerContext, app: AppRef, purpose: string): Promise<void> {
  const name = volumeName(app, purpose);
  await ctx.docker.createVolume({ Name: name, Labels: { ...appLabels(ctx.serverId, app) } });
  // The engine answers with an existing volume of that name, whoever made it.
  const volume = await ctx.docker.getVolume(name).inspect();
  if (volume.Labels?.[LABEL_SERVER] === ctx.serverId) return;
  throw new SvcError(
    "name_taken",
    `The server has a volume ${name} that this agent did not make. Remove or rename it, then deploy again. If this host was ` +
      "another server before, let it be that one again (`server token --for NAME`): the volume may hold an app's data.",
  );
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
