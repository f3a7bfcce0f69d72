/** A request as the access log has it. */
export interface LoggedRequest {
  /** Lower case, without a port. */
  host: string;
  /** Upper case. */
  method: string;
  /** Without what follows `?`. */
  path: string;
  status: number;
}

/** `ADDRESS HOST "METHOD PATH PROTOCOL" STATUS BYTES B MILLISECONDS ms`, as the agent writes it. */
const START = /^\S+ (\S+) "(\S+) (\S+) /;
const END = /" ([0-9]{3}) [0-9]+ B [0-9.]+ ms$/;
/** The status and what follows have no more characters. */
const END_LENGTH = 80;

/** Reads a line of the access log, without its time; undefined for any other line. */
export function parseRequest(line: string): LoggedRequest | undefined {
  const start = START.exec(line);
  const status = END.exec(line.slice(-END_LENGTH))?.[1];
  if (!start || status === undefined) return undefined;
  const [, host = "", method = "", uri = ""] = start;
  return {
    host: host.toLowerCase().replace(/:[0-9]{1,5}$/, ""),
    method: method.toUpperCase(),
    path: uri.split("?", 1)[0]!,
    status: Number(status),
  };
}
