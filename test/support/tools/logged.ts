import { silentLogger, type Logger } from "@svc/shared/platform/logger.ts";

export interface Logged {
  level: "info" | "warn" | "error";
  fields: unknown;
  text: string;
}

/** A logger that keeps what it is given. @param onLogged hears of it, too */
export function keepLogged(onLogged: (logged: Logged) => void = () => undefined): { log: Logger; logged: Logged[] } {
  const logged: Logged[] = [];
  const keep = (entry: Logged) => {
    logged.push(entry);
    onLogged(entry);
  };
  const keepAs = (level: Logged["level"]) => (fields: unknown, text?: string) =>
    keep(text === undefined ? { level, fields: {}, text: String(fields) } : { level, fields, text });
  const methods = { info: keepAs("info"), warn: keepAs("warn"), error: keepAs("error") };
  return { log: Object.assign(Object.create(silentLogger) as Logger, methods), logged };
}
