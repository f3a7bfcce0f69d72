export interface DatabaseOwner {
  databaseNames: readonly string[];
  role: string;
  /** See scram.ts. */
  verifier: string;
}

/**
 * Makes the role and its databases, or brings them to this state: running it again changes nothing but the verifier.
 * For psql, which alone can make a database conditionally (`\gexec`).
 */
export function provisioningScript({ databaseNames, role, verifier }: DatabaseOwner): string {
  const owner = quoteIdentifier(role);
  return [
    // Neither a success nor a failure writes the verifier to the server's log.
    `SET log_statement = 'none';`,
    `SET log_min_error_statement = 'panic';`,
    `SET log_min_duration_statement = -1;`,
    `SELECT ${quoteLiteral(`CREATE ROLE ${owner}`)}`,
    `WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${quoteLiteral(role)}) \\gexec`,
    `ALTER ROLE ${owner} WITH LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD ${quoteLiteral(verifier)};`,
    ...databaseNames.flatMap((name) => databaseStatements(name, owner)),
    "",
  ].join("\n");
}

function databaseStatements(name: string, owner: string): string[] {
  const database = quoteIdentifier(name);
  return [
    `SELECT ${quoteLiteral(`CREATE DATABASE ${database} OWNER ${owner}`)}`,
    `WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = ${quoteLiteral(name)}) \\gexec`,
    `ALTER DATABASE ${database} OWNER TO ${owner};`,
    `REVOKE ALL ON DATABASE ${database} FROM PUBLIC;`,
  ];
}

/** Statements go in on standard input; the local socket trusts, so no password is needed. */
export const PSQL_ARGV: readonly string[] = [
  "psql",
  "--no-psqlrc",
  "--quiet",
  "--no-password",
  "--set=ON_ERROR_STOP=1",
  // Without it an error quotes the statement.
  "--set=VERBOSITY=terse",
  "--host=/var/run/postgresql",
  "--username=postgres",
  "--dbname=postgres",
];

function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** With `standard_conforming_strings`, the default since 9.1, a backslash means itself. */
function quoteLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
