/**
 * Name of the app's database and of its role: the app's name in PostgreSQL's alphabet, so that it needs no quotes in
 * most places. App names have no underscore, so two apps never share one.
 */
export function databaseNameOf(appName: string): string {
  return appName.replaceAll("-", "_");
}
