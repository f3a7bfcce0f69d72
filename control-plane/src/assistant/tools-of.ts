import { permitsRole, type Role } from "../platform/role.ts";
import { permitsScope, type Permissions, type Scope } from "../platform/scope.ts";
import type { Membership } from "../platform/operation.ts";
import { TOOLS } from "./table.ts";
import type { Tool } from "./tool.ts";

/** The facts of an operation of the public API that decide who may call it. */
export interface CallableOperation {
  operationId: string;
  scope: Scope | "unscoped";
  role: Role | "operator";
}

interface Asking extends Permissions {
  teamId: string;
  teams: readonly Membership[];
}

/** The tools whose operations a caller may call, all of them. */
export function toolsOf(caller: Asking, operations: readonly CallableOperation[]): Tool[] {
  const byId = new Map(operations.map((operation) => [operation.operationId, operation]));
  return TOOLS.filter(({ name, operations: called }) =>
    called.every((id) => {
      const operation = byId.get(id);
      if (!operation) throw new Error(`the tool ${name} calls ${id}, which no route is`);
      return mayCall(caller, operation);
    }),
  );
}

function mayCall(caller: Asking, { scope, role }: CallableOperation): boolean {
  const own = caller.teams.find(({ teamId }) => teamId === caller.teamId)?.role;
  return role !== "operator" && permitsScope(caller, scope) && own !== undefined && permitsRole(own, role);
}
