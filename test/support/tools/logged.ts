import { silentLogger, type Logger } from "@svc/shared/platform/logger.ts";

export interface Logged {
  level: "info" | "warn" | "error";
  fields: unknown;
  text: string;
}

/** A logger that keeps what it is given. */
export function keepLogged(): { log: Logger; logged: Logged[] } {
  const logged: Logged[] = [];
  const keepAs = (level: Logged["level"]) => (fields: unknown, text?: string) =>
    void logged.push(text === undefined ? { level, fields: {}, text: String(fields) } : { level, fields, text });
  const methods = { info: keepAs("info"), warn: keepAs("warn"), error: keepAs("error") };
  return { log: Object.assign(Object.create(silentLogger) as Logger, methods), logged };
}
