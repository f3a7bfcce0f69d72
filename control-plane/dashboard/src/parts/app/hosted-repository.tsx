import type { App } from "../../client/answers.ts";
import { api, done } from "../../client/api.ts";
import { ActionButton } from "../action-button.tsx";
import { Secret } from "../secret.tsx";

/** Whether the app's repository is on the platform's own git host, which is at the address of the pages. */
export function isHosted({ git_repo: repository }: App): boolean {
  return repository !== null && repository.startsWith(`${location.origin}/git/`);
}

/** Says how to clone an app's repository of the platform's own and push to it, and whether a push is deployed. */
export function HostedRepository({ app, reload }: { app: App; reload(): Promise<void> }) {
  const deploysPushes = (deploy_on_push: boolean) => async () => {
    await done(api.PATCH("/api/apps/{name}", { params: { path: { name: app.name } }, body: { deploy_on_push } }));
    await reload();
  };
  return (
    <section aria-labelledby="hosted">
      <h2 id="hosted">Repository of the platform</h2>
      <Secret label="Clone it" text={`git clone ${app.git_repo}`} isQuiet />
      <p>
        Git asks for a user name, which may be any, and a password: one of your <a href="/settings/keys">API keys</a>.{" "}
        {app.deploy_on_push
          ? "Each push of the default branch is deployed."
          : "A push is not deployed by itself: press Deploy after it."}
      </p>
      {app.deploy_on_push ? (
        <ActionButton key="off" label="Deploy no push by itself" act={deploysPushes(false)} />
      ) : (
        <ActionButton key="on" label="Deploy each push" act={deploysPushes(true)} />
      )}
    </section>
  );
}
