import { EnvError } from "@svc/shared/platform/env.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { createLogger } from "@svc/shared/platform/logger.ts";
import { create } from "./app.ts";
import { readConfig } from "./config.ts";

/** A stop that takes longer than the operating contract's 30 s is cut short: every part may die between two lines. */
const STOP_MS_MAX = 29_000;

const log = createLogger({ name: "agent" });

/** EX_CONFIG of sysexits.h: starting the agent again changes nothing (deploy/systemd). */
const EXIT_REMOVED = 78;

/** One sentence for the person who started the agent; what we did not foresee comes with its stack. */
function exitWith(error: unknown): never {
  const isKnown = error instanceof EnvError || error instanceof SvcError;
  if (isKnown) log.fatal({ cause: error.cause }, error.message);
  else log.fatal({ err: error }, "the agent can't start");
  process.exit(error instanceof SvcError && error.code === "server_removed" ? EXIT_REMOVED : 1);
}

async function main(): Promise<void> {
  const { config, unknownVariables } = readConfig(process.env);
  for (const name of unknownVariables) log.warn({ variable: name }, "this variable is not known; is it misspelt?");
  const agent = create(config, { log });

  let isStopping = false;
  const stop = (reason: NodeJS.Signals): void => {
    if (isStopping) return;
    isStopping = true;
    log.info({ reason }, "stopping");
    setTimeout(() => process.exit(0), STOP_MS_MAX).unref();
    void agent.stop().then(() => process.exit(0));
  };
  process.on("SIGTERM", stop).on("SIGINT", stop);
  void agent.ended.then((why) => (why ? exitWith(why) : process.exit(0)), exitWith);

  try {
    const { http, listen } = await agent.start();
    log.info({ http, listen, dataDirectory: config.dataDirectory }, "ready");
  } catch (error) {
    // A start that a signal has cut short did not fail.
    if (!isStopping) throw error;
  }
}

main().catch(exitWith);
