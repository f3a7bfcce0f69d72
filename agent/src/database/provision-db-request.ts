import type { ProvisionDbSpec } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { isPostgresMajor, POSTGRES_MAJORS } from "@svc/shared/rules/postgres-versions.ts";

/** A ProvisionDbSpec of the wire whose every field was checked. */
export interface ProvisionDbRequest {
  /** Major version, "16". */
  version: string;
  databaseName: string;
  /** Further databases of the same role. */
  further: readonly string[];
  role: string;
  password: string;
}

/** 63 bytes is PostgreSQL's limit; app names give letters, digits and `_`. */
const IDENTIFIER = /^[a-z0-9_][a-z0-9_-]{0,62}$/;

/** Names that the server itself uses. */
const RESERVED: ReadonlySet<string> = new Set(["postgres", "template0", "template1", "public", "none"]);

/** Printable ASCII, which SASLprep (RFC 4013) leaves as it is. */
const PASSWORD = /^[\x21-\x7e]{16,128}$/;

/**
 * Reads the request without the further databases, which the spec file names.
 * @throws SvcError invalid_request, naming the field, of the password nothing else
 */
export function checkProvisionDb(spec: ProvisionDbSpec): Omit<ProvisionDbRequest, "further"> {
  const { version, databaseName, role, password } = spec;
  if (!isPostgresMajor(version)) {
    throw invalid(
      `PostgreSQL ${JSON.stringify(version)} is not offered; allowed is one of ${POSTGRES_MAJORS.join(", ")}`,
    );
  }
  requireIdentifier("database_name", databaseName);
  requireIdentifier("role", role);
  if (!PASSWORD.test(password)) throw invalid("password must have 16 to 128 printable ASCII characters");
  return { version, databaseName, role, password };
}

function requireIdentifier(field: string, value: string): void {
  if (!IDENTIFIER.test(value))
    throw invalid(`${field} is ${JSON.stringify(value)}; it must match ${IDENTIFIER.source}`);
  if (RESERVED.has(value) || value.startsWith("pg_")) {
    throw invalid(`${field} is ${JSON.stringify(value)}, a name that PostgreSQL keeps for itself`);
  }
}

function invalid(problem: string): SvcError {
  return new SvcError("invalid_request", `The provision_db step cannot run: ${problem}.`);
}
