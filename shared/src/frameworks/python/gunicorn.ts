import type { StartCommand } from "../../spec/start-command.ts";

/**
 * This is enough for requests that wait for a database, in one process of an app's modest memory; WEB_CONCURRENCY,
 * which Gunicorn reads itself, sets the number of processes.
 */
const THREADS = 8;

/**
 * Gunicorn listens on all addresses where PORT says. Requests come through the platform's proxy and no other way, so what
 * that says about the client is believed.
 *
 * @param app `module:object` or `module:factory()`
 */
export function gunicorn(app: string): StartCommand {
  const options = ["--threads", String(THREADS), "--worker-tmp-dir", "/dev/shm", "--forwarded-allow-ips", "*"];
  return { form: "exec", words: ["gunicorn", ...options, "--access-logfile", "-", app] };
}
