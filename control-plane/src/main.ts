import { EnvError } from "@svc/shared/platform/env.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { createLogger } from "@svc/shared/platform/logger.ts";
import { create } from "./app.ts";
import { boundHeap } from "./platform/bound-heap.ts";
import { readConfig } from "./config.ts";

/** A stop that takes longer than the operating contract's 30 s is cut short: every part may die between two lines. */
const STOP_MS_MAX = 29_000;

const log = createLogger({ name: "control-plane" });

/** A start that fails tells its reason in one sentence; only what is a bug of ours comes with a stack. */
function fail(error: unknown): never {
  const expected = error instanceof EnvError || error instanceof SvcError;
  log.fatal(expected ? {} : { err: error }, (error as Error).message);
  process.exit(1);
}

boundHeap();
try {
  const controlPlane = create(readConfig(process.env), { log });
  let stopping = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      log.info({ signal }, "stopping");
      setTimeout(() => process.exit(0), STOP_MS_MAX).unref();
      void controlPlane.stop().then(() => process.exit(0), fail);
    });
  }
  await controlPlane.start();
} catch (error) {
  fail(error);
}
