import { appPath } from "../page-path.ts";

/** The app, and the deploy, that a page is about: a question on it is about them unless it names others. */
export interface ChatPlace {
  app?: string;
  deploy?: string;
}

/** @param path as `location.pathname` has it */
export function chatPlaceOf(path: string): ChatPlace {
  const { name, id } = appPath(path);
  if (!path.startsWith("/apps/") || name === "") return {};
  return id !== "" && path.includes("/deploys/") ? { app: name, deploy: id } : { app: name };
}
