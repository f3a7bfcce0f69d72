import { leadsToContainer, targetOf } from "../edge/routes.ts";
import type { TakenBack } from "./probation.ts";
import type { ContainerState, Proxy, Route } from "../ports.ts";

/**
 * Leads the app's hosts back to the former container, in one write, provided that they still lead to the one that failed:
 * what a person has decided since stays.
 * @param isAgain the agent may have been killed right after an earlier write
 * @returns whether they lead there
 */
export async function leadBack(
  proxy: Pick<Proxy, "updateRoutes">,
  { app, containerId }: Pick<TakenBack, "app" | "containerId">,
  former: ContainerState,
  isAgain: boolean,
): Promise<boolean> {
  let leads = false;
  await proxy.updateRoutes(app.id, (current) => {
    const lead = (id: string): boolean =>
      current.length > 0 && current.every((route) => route.containerId === id && leadsToContainer(route));
    leads = lead(containerId) || (isAgain && lead(former.id));
    const toFormer = (route: Route): Route => ({ ...route, ...targetOf(former), state: "serving" });
    return lead(containerId) ? current.map(toFormer) : current;
  });
  return leads;
}
