import type { App } from "../../client/answers.ts";
import { answerOf, api } from "../../client/api.ts";
import { pathOfDeploy } from "../../text/places.ts";
import { ActionButton } from "../action-button.tsx";

/** Deploys the newest commit of the default branch, and goes to where the deploy can be watched. */
export function DeployButton({ app }: { app: App }) {
  async function deploy() {
    const { deploy_id: id } = await answerOf(
      api.POST("/api/apps/{name}/deploy", { params: { path: { name: app.name } }, body: {} }),
    );
    location.assign(pathOfDeploy(app.name, id));
  }
  return <ActionButton label="Deploy" act={deploy} />;
}
