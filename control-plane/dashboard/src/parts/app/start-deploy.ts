import { answerOf, api } from "../../client/api.ts";
import { pathOfDeploy } from "../../text/places.ts";

/**
 * Deploys the newest commit of the default branch.
 * @returns the address where it can be watched: of the deploy, or of the app's deploys when it waits for others
 * @throws Refusal
 */
export async function startDeploy(name: string): Promise<string> {
  const { deploy_id: id } = await answerOf(
    api.POST("/api/apps/{name}/deploy", { params: { path: { name } }, body: {} }),
  );
  return pathOfDeploy(name, id);
}
