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

/**
 * Comes first in a script that runs as the superuser in a database of somebody else's: its owner may have made functions and operators
 * with the names of PostgreSQL's own (PostgreSQL's wiki, "A Guide to CVE-2018-1058").
 */
const OWN_NAMES = "SET search_path = pg_catalog;";

/** Puts out the versions of the rules by which texts are ordered, as of glibc and ICU; indexes hold by them. */
export const COLLATION = `
${OWN_NAMES}
SELECT string_agg(DISTINCT collprovider::text || ' ' || pg_collation_actual_version(oid), ', ') FROM pg_collation
WHERE pg_collation_actual_version(oid) IS NOT NULL;
`;

/** Builds the database's indexes by the rules that it has now. */
export const REINDEX = String.raw`
${OWN_NAMES}
SELECT format('REINDEX DATABASE %I', current_database()) \gexec
SELECT format('ALTER DATABASE %I REFRESH COLLATION VERSION', current_database())
WHERE current_setting('server_version_num')::int >= 150000 \gexec
`;

/** Selects what users have made in the database, other than by an extension, which brings its own. */
const OF_USERS = String.raw`
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\_t%'
  AND NOT EXISTS (SELECT FROM pg_depend p WHERE p.classid = 'pg_class'::regclass AND p.objid = c.oid AND p.deptype = 'e')
  AND c.relkind =`;

/** Puts out a line for each table of the database with its number of rows, and for each sequence with its last value. */
export const COUNT_ROWS = String.raw`
${OWN_NAMES}
SELECT format('SELECT %L || count(*) FROM ONLY %I.%I', format('table %I.%I: ', n.nspname, c.relname), n.nspname, c.relname)
${OF_USERS} 'r' \gexec
SELECT format('SELECT %L || last_value || CASE WHEN is_called THEN %L ELSE %L END FROM %I.%I',
  format('sequence %I.%I: ', n.nspname, c.relname), '', ' is next', n.nspname, c.relname)
${OF_USERS} 'S' \gexec
`;

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
