import { isPool, isServerLabel, POOL_RULE, SERVER_LABEL_RULE } from "@svc/shared/rules/servers/server-pool.ts";
import { insertAudit, type Acting } from "../platform/audit.store.ts";
import { inTransaction, type Db } from "../platform/database/database.ts";
import { notify } from "../platform/database/notify.ts";
import { invalid, quoted } from "../platform/invalid.ts";
import { requireServer } from "./require-server.ts";
import { parseServerAddress } from "./server.ts";
import { lockServerSettings, updateServerSettings, type ServerSettings } from "./servers.store.ts";

/** More labels than tell servers apart. */
const LABELS_MAX = 20;

/** The settings to change; the others stay. */
export type ServerChange = { [Setting in keyof ServerSettings]?: ServerSettings[Setting] | undefined };

/**
 * Says which pool the server is in, which labels it has, and where balancers find its apps. Apps that live there stay, whatever
 * they have asked for. Idempotent.
 * @throws SvcError not_found, invalid_request
 */
export async function setServer(db: Db, name: string, change: ServerChange, by: Acting): Promise<ServerSettings> {
  const checked = checkedChange(change);
  return inTransaction(db, async (tx) => {
    const { id } = await requireServer(tx, name);
    const before = await lockServerSettings(tx, id);
    // It was removed since, and another server may have its name.
    if (before.state === "removed") return setServer(tx, name, change, by);
    const { pool, labels, address } = { ...before, ...checked };
    const after = { pool, labels, address };
    const changed = Object.keys(checked).filter(
      (setting) => String(before[setting as keyof ServerSettings]) !== String(after[setting as keyof ServerSettings]),
    );
    if (changed.length === 0) return after;
    await updateServerSettings(tx, id, after);
    await insertAudit(tx, { ...by, action: "server.set", target: `server:${id}`, detail: { name, ...after } });
    // Deploys may wait for such a server.
    await notify(tx, "deploy_queue", "");
    return after;
  });
}

/** @throws SvcError invalid_request */
function checkedChange({ pool, labels, address }: ServerChange): Partial<ServerSettings> {
  if (pool === undefined && labels === undefined && address === undefined) {
    throw invalid("Give at least one of pool, labels and address.");
  }
  if (pool !== undefined && !isPool(pool))
    throw invalid(`The pool ${quoted(pool)} can't be used: allowed are ${POOL_RULE}.`);
  if (address !== undefined && address !== null && parseServerAddress(address) === undefined) {
    throw invalid(
      `The address is ${quoted(address)}; allowed is a host name or an IP address, and a port, such as 192.0.2.7:443.`,
    );
  }
  return {
    ...(pool !== undefined && { pool }),
    ...(labels !== undefined && { labels: checkedLabels(labels) }),
    ...(address !== undefined && { address }),
  };
}

function checkedLabels(labels: readonly string[]): string[] {
  const wrong = labels.find((label) => !isServerLabel(label));
  if (wrong !== undefined) throw invalid(`The label ${quoted(wrong)} can't be used: allowed are ${SERVER_LABEL_RULE}.`);
  const once = [...new Set(labels)].toSorted();
  if (once.length > LABELS_MAX) throw invalid(`These are ${once.length} labels; a server has at most ${LABELS_MAX}.`);
  return once;
}
