import { Hearings } from "@svc/control-plane/fleet/links/hearings.ts";
import { watchStatus, type StatusWatchOptions } from "@svc/control-plane/fleet/links/status-watch.ts";
import { createStatusReader, type RecordTakenBack } from "@svc/control-plane/observed/status-reader.ts";
import type { Db } from "@svc/control-plane/platform/database/database.ts";
import { systemClock, type Clock } from "@svc/shared/platform/clock.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";

export interface HearingOptions {
  link: StatusWatchOptions["link"];
  db: Db;
  clock?: Clock;
  /** Milliseconds between two statuses whose figures are stored. */
  storeMsMin?: number;
  recordTakenBack?: RecordTakenBack;
}

/** Hears what the agent tells, as the control plane that holds its link does. */
export async function hearStatuses(options: HearingOptions): Promise<void> {
  const { link, db, clock = systemClock, storeMsMin = 0, recordTakenBack = () => Promise.resolve(true) } = options;
  const appsAddress = { appsDomain: "apps.localhost", appsHttpsPort: 8443 };
  const createReader = createStatusReader.bind(undefined, { db, clock, log, appsAddress, recordTakenBack });
  const timing = { intervalSeconds: 1, storeMsMin, retryMs: 1 };
  await watchStatus({ link, db, clock, log, timing, hearings: new Hearings(), createReader });
}
