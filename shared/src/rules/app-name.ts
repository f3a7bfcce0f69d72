/** Lower-case RFC 1123 label: it is the app's subdomain too. */
export const APP_NAME = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
export const APP_NAME_LENGTH_MAX = 63;

/** Whether an app could have this name; whether the platform keeps the name for itself is the control plane's to say. */
export function isAppName(name: string): boolean {
  return name.length <= APP_NAME_LENGTH_MAX && APP_NAME.test(name);
}

/** The name of a folder or a repository, as far as an app can have it; "app" where nothing of it is left. */
export function appNameLike(text: string): string {
  const name = text
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+/g, "")
    .slice(0, APP_NAME_LENGTH_MAX)
    .replaceAll(/-+$/g, "");
  return name === "" ? "app" : name;
}
