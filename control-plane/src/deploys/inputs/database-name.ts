/** PostgreSQL cuts longer names (NAMEDATALEN less one). */
const LENGTH_MAX = 63;

/**
 * Name of the app's database and of its role: the app's name in PostgreSQL's alphabet, with a prefix that keeps it away
 * from the names that PostgreSQL has for itself (`postgres`, `public`, `pg_…`). Each app has a server of its own, so that
 * a cut name meets no other.
 */
export function databaseNameOf(appName: string): string {
  return `app_${appName.replaceAll("-", "_")}`.slice(0, LENGTH_MAX);
}
