/** What is searched: lines that a program writes, or requests that the proxy has answered. */
export type LogKind = "lines" | "requests";

/** UTF-16 units of a query. */
export const LOG_QUERY_LENGTH_MAX = 500;
/** What may stand in a query, as a hint for people. */
export const LOG_QUERY_HINTS: Readonly<Record<LogKind, string>> = {
  lines: 'Words, "quoted text", -word to leave lines out, level:error (warn, info, debug).',
  requests:
    'Words, "quoted text", -word to leave requests out, status:404, status:>=500, method:POST, path:/api/*, host:NAME.',
};
