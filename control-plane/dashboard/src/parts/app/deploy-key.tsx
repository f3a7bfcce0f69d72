import type { App } from "../../client/answers.ts";
import { answerOf, api, done } from "../../client/api.ts";
import { Refusal } from "../../client/refusal.ts";
import { ActionButton } from "../action-button.tsx";
import { Show, useLoaded } from "../loaded.tsx";
import { Secret } from "../secret.tsx";

/** The key that a private repository lets the platform read it with. */
export function DeployKey({ app }: { app: App }) {
  const params = { path: { name: app.name } };
  const key = useLoaded(async () => {
    try {
      return { made: await answerOf(api.GET("/api/apps/{name}/deploy-key", { params })), hint: undefined };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code === "not_found") return { made: undefined, hint: undefined };
      // The API says which repositories it makes keys for: that is no fault of this one.
      if (error.code === "deploy_key_unsupported") return { made: undefined, hint: error.message };
      throw error;
    }
  });
  async function make() {
    await done(api.POST("/api/apps/{name}/deploy-key", { params }));
    await key.reload();
  }
  async function remove() {
    await done(api.DELETE("/api/apps/{name}/deploy-key", { params }));
    await key.reload();
  }
  return (
    <section aria-labelledby="deploy-key">
      <h2 id="deploy-key">Private repository</h2>
      <Show of={key}>
        {({ made, hint }) =>
          hint !== undefined ? (
            <p class="hint">{hint}</p>
          ) : made === undefined ? (
            <>
              <p>With a key of its own the platform reads a repository that is not public.</p>
              <ActionButton label="Make a key" act={make} />
            </>
          ) : (
            <>
              <Secret
                label="Add this to the repository, as a deploy key that reads alone."
                text={made.public_key}
                isQuiet
              />
              <ActionButton
                label="Remove the key"
                isDangerous
                warning="Deploys clone without one from then on."
                act={remove}
              />
            </>
          )
        }
      </Show>
    </section>
  );
}
