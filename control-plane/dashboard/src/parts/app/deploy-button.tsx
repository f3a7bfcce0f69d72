import type { App } from "../../client/answers.ts";
import { ActionButton } from "../action-button.tsx";
import { startDeploy } from "./start-deploy.ts";

/** Deploys the newest commit of the default branch, and goes to where the deploy can be watched. */
export function DeployButton({ app }: { app: App }) {
  return <ActionButton label="Deploy" act={async () => location.assign(await startDeploy(app.name))} />;
}
