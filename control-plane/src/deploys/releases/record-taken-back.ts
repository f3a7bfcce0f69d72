import { timestampDate } from "@bufbuild/protobuf/wkt";
import { TakenBackReason, type TakenBack } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import type { Redactors } from "@svc/shared/redaction/redactors.ts";
import type { AppsAddress } from "../../fleet/app-url.ts";
import { LineRedactor } from "@svc/shared/redaction/line-redactor.ts";
import { storableText } from "../../platform/storable-text.ts";
import type { Db } from "../../platform/database/database.ts";
import { recordTakeBack } from "./record-take-back.ts";
import type { KeyRing } from "../../ports.ts";
import { appSecrets } from "../inputs/app-secrets.ts";

export interface TakeBackParts {
  db: Db;
  keyRing: KeyRing;
  redactors: Redactors;
  /** Where apps are served, for what webhooks are told. */
  address: AppsAddress;
}

const REASONS: Readonly<Record<TakenBackReason, string>> = {
  [TakenBackReason.UNSPECIFIED]: "unknown",
  [TakenBackReason.EXITED]: "exited",
  [TakenBackReason.OUT_OF_MEMORY]: "out_of_memory",
  [TakenBackReason.NOT_ANSWERING]: "not_answering",
};

/** An answer of the API holds all of them. */
const LINES_MAX = 20;
const LINE_CHARACTERS_MAX = 1_000;

/**
 * Records that the agent has taken a deploy back, without the app's secrets. What it says of an app that is not there, or
 * not on that server, is dropped.
 * @returns whether it need not be told again
 */
export async function recordTakenBack(
  { db, keyRing, redactors, address }: TakeBackParts,
  serverId: string,
  taken: TakenBack,
): Promise<boolean> {
  const { app, deployId, servedDeployId, reason, exitCode, at } = taken;
  if (!app || ![app.id, deployId, servedDeployId].every(isId)) return true;
  const redactor = redactors.of(await appSecrets({ db, keyRing }, app.id));
  const lines = new LineRedactor(redactor);
  const lastLines = [...lines.push(taken.lastLines), ...lines.end()];
  const observed = {
    appId: app.id,
    deployId,
    servedDeployId,
    // A newer agent may have reasons that this version does not know.
    reason: REASONS[reason] ?? "unknown",
    detail: storableText(redactor.text(taken.detail)),
    exitCode,
    lastLines: lastLines.slice(-LINES_MAX).map((line) => storableText(line.slice(0, LINE_CHARACTERS_MAX))),
    at: at ? timestampDate(at) : new Date(),
  };
  return recordTakeBack(db, serverId, observed, address);
}
