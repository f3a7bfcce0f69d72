/** The memory that the databases of an app may take together, in bytes. */
export const DATABASE_MEMORY_BYTES = 512 * 1024 * 1024;

/** This is more than an app has; each is a database that the server keeps open files for. */
export const SERVICES_MAX = 8;

/** PostgreSQL's limit, in bytes. */
const NAME_LENGTH_MAX = 63;
/**
 * Stands in front of what no app's own database begins with (`app_`), nor a name that PostgreSQL keeps for itself
 * (`pg_`).
 */
const PREFIX = "service_";

/** The service's name as far as variables and databases can hold it. */
function plainName(service: string): string {
  return service.replaceAll(/[^A-Za-z0-9]/g, "_");
}

/** The variable that has the address of the service's database. */
export function serviceVariable(service: string): string {
  const name = plainName(service).toUpperCase();
  return `${/^[0-9]/.test(name) ? "_" : ""}${name}_DATABASE_URL`;
}

/** The database of a service that is not the app's first. */
export function serviceDatabase(service: string): string {
  return `${PREFIX}${plainName(service).toLowerCase()}`.slice(0, NAME_LENGTH_MAX);
}
