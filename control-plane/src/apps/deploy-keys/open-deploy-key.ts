import { sealContext } from "../../ports.ts";
import type { OperationContext } from "../../platform/operation.ts";
import { readSealedDeployKey } from "./deploy-keys.store.ts";

/** The app's private key; undefined when it has none. */
export async function openDeployKey(
  { db, keyRing }: Pick<OperationContext, "db" | "keyRing">,
  appId: string,
): Promise<string | undefined> {
  const sealed = await readSealedDeployKey(db, appId);
  return sealed && keyRing.open(sealed, sealContext.deployKey(appId));
}
