import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import type { AppNotices } from "../engine/logs/app-notices.ts";
import type { Engine, Proxy } from "../ports.ts";
import { createRetirer, type Retirer } from "../apps/retire.ts";
import { readFormerRoutes } from "../steps/former-routes.ts";
import { openLedger } from "./ledger.ts";
import { createProbations, type Probations, type ProbationTuning } from "./probations.ts";

interface Options {
  engine: Engine;
  proxy: Proxy;
  dataDirectory: string;
  notices: AppNotices;
  clock: Clock;
  log: Logger;
  /** Whether the deploy holds a lock. */
  isBusy: (deployId: string) => boolean;
  /** Is called when there is something new to tell. */
  onChange: () => void;
  stopping: AbortSignal;
  tuning?: ProbationTuning | undefined;
}

/** Replaced containers: kept ready for a while by the probations, then removed by the retirer. */
export async function openProbations(options: Options): Promise<{ probations: Probations; retirer: Retirer }> {
  const { engine, proxy, dataDirectory, notices, clock, log, isBusy, onChange, stopping, tuning } = options;
  const ledger = await openLedger({ dataDirectory, log, onChange });
  const retirer = createRetirer({ engine, proxy, clock, log, isBusy, isKept: ledger.keeps });
  const probations = createProbations({
    ledger,
    engine,
    proxy,
    clock,
    log,
    retire: (app, replaced) => retirer.retire(app, stopping, { replaced }),
    formerRoutes: (deployId) => readFormerRoutes({ dataDirectory, deployId }),
    onTakenBack: ({ app, formerId, detail: text }) => {
      // The notice is in the log of the container that serves: who looks for why the app is an older one looks there.
      const container = { appId: app.id, appName: app.name, role: "app" as const, containerId: formerId };
      notices.add({ ...container, kind: "taken_back", time: clock.now(), text });
    },
    stopping,
    ...(tuning && { tuning }),
  });
  return { probations, retirer };
}
