import { SvcError } from "@svc/shared/errors.ts";
import { permitsApp } from "../platform/scope.ts";
import type { OperationContext } from "../platform/operation.ts";

/** @throws SvcError insufficient_scope when the caller's key is limited to other apps */
export function requireAppPermission({ actor }: Pick<OperationContext, "actor">, name: string): void {
  if (permitsApp(actor, name)) return;
  // A name that is not permitted may be no name at all, of any length.
  const shown = name.slice(0, 63);
  throw new SvcError("insufficient_scope", `This API key is limited to other apps than ${shown}. Use another key.`);
}
