import { requireOwn } from "./containers.ts";
import type { DockerContext } from "../context.ts";
import { unless } from "../errors.ts";

/** See Engine.environment. @throws SvcError not_found */
export async function readEnvironment(ctx: DockerContext, id: string): Promise<Record<string, string>> {
  const { Config: config, Image: imageId } = await requireOwn(ctx, id);
  const image = await unless([404], ctx.docker.getImage(imageId).inspect());
  const ofImage = new Set(image?.Config.Env ?? []);
  const given = (config.Env ?? []).filter((variable) => !ofImage.has(variable));
  return Object.fromEntries(given.map(splitVariable));
}

export function splitVariable(variable: string): [name: string, value: string] {
  const equals = variable.indexOf("=");
  return equals === -1 ? [variable, ""] : [variable.slice(0, equals), variable.slice(equals + 1)];
}
