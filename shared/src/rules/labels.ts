/**
 * Labels tell what is ours, and whose. Everything that the agent makes in the engine carries these labels, and is found
 * again by them alone: names may be taken, ids change, labels stay.
 */
export const LABEL_SERVER = "svc.server";
export const LABEL_APP = "svc.app";
export const LABEL_APP_NAME = "svc.app-name";
export const LABEL_DEPLOY = "svc.deploy";
const LABEL_RELEASE = "svc.release";
export const LABEL_ROLE = "svc.role";
/** The port inside the container; the engine keeps no such fact of a container without published ports. */
const LABEL_PORT = "svc.port";
/** An image that holds what a running build has fetched. */
export const LABEL_FETCHED = "svc.fetched";

export type Labels = Readonly<Record<string, string>>;

interface AppRef {
  id: string;
  name: string;
}

/** Networks and volumes of an app. */
export function appLabels(serverId: string, app: AppRef): Labels {
  return { [LABEL_SERVER]: serverId, [LABEL_APP]: app.id, [LABEL_APP_NAME]: app.name };
}

/** The image that a deploy builds. */
export function imageLabels(serverId: string, app: AppRef, deployId: string): Labels {
  return { ...appLabels(serverId, app), [LABEL_DEPLOY]: deployId };
}

export interface ContainerIdentity {
  app: AppRef;
  role: "app" | "database";
  deployId: string | undefined;
  release: string | undefined;
  port: number;
}

/** Every label is set, empty where unknown: a container inherits the labels of its image, and must not be found by them. */
export function containerLabels(serverId: string, identity: ContainerIdentity): Labels {
  return {
    ...appLabels(serverId, identity.app),
    [LABEL_ROLE]: identity.role,
    [LABEL_DEPLOY]: identity.deployId ?? "",
    [LABEL_RELEASE]: identity.release ?? "",
    [LABEL_PORT]: String(identity.port),
  };
}

/** Reads the labels of a container; undefined when it is not a container of this server. */
export function readContainerLabels(
  serverId: string,
  labels: Labels | null | undefined,
): ContainerIdentity | undefined {
  const role = labels?.[LABEL_ROLE];
  const id = labels?.[LABEL_APP];
  if (labels?.[LABEL_SERVER] !== serverId || !id || (role !== "app" && role !== "database")) return undefined;
  return {
    app: { id, name: labels[LABEL_APP_NAME] ?? "" },
    role,
    deployId: labels[LABEL_DEPLOY] || undefined,
    release: labels[LABEL_RELEASE] || undefined,
    port: Number(labels[LABEL_PORT] ?? 0),
  };
}

/** The engine's `label` filter that matches resources with all of these labels. */
export function labelFilter(labels: Labels): { label: string[] } {
  return { label: Object.entries(labels).map(([name, value]) => `${name}=${value}`) };
}
