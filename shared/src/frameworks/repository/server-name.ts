/** Usual names of the program that serves, beside the ones that they run by hand. */
const SERVER_NAMES = ["server", "web", "api", "app", "http", "httpd", "backend", "service"];

/** The only one of several programs that is called a server, by its whole name or its last word ("shop-api"). */
export function theServer<T>(programs: readonly T[], nameOf: (program: T) => string): T | undefined {
  const servers = programs.filter((program) => SERVER_NAMES.includes(nameOf(program).split(/[-_]/).at(-1)!));
  return servers.length === 1 ? servers[0] : undefined;
}
