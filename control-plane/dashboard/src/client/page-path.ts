export interface AppPath {
  /** The app's name. */
  name: string;
  /** The id of a deploy, after the tab; empty on other pages. */
  id: string;
}

/** Reads the address of an app's page: /apps/<name>/<tab>/<id>. @param path as `location.pathname` has it */
export function appPath(path: string): AppPath {
  const [, , name = "", , id = ""] = path.split("/").map(decode);
  return { name, id };
}

/** Reads the address of a server's page: /servers/<name>. @param path as `location.pathname` has it */
export function serverName(path: string): string {
  return decode(path.split("/")[2] ?? "");
}

/** A broken address is shown as it is, and names no app. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
