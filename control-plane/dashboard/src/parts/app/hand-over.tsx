import type { App } from "../../client/answers.ts";
import { answerOf, api, done } from "../../client/api.ts";
import { Form, textOf } from "../form.tsx";
import { Show, useLoaded } from "../loaded.tsx";
import { SelectField } from "../select-field.tsx";

/** Gives the app to another of the person's teams. */
export function HandOver({ app }: { app: App }) {
  const teams = useLoaded(async () => (await answerOf(api.GET("/api/teams"))).teams);
  async function give(values: FormData) {
    const body = { team: textOf(values, "team") };
    await done(api.POST("/api/apps/{name}/hand-over", { params: { path: { name: app.name } }, body }));
    location.reload();
  }
  return (
    <Show of={teams}>
      {(all) =>
        all.length > 1 && (
          <section aria-labelledby="hand-over">
            <h2 id="hand-over">Give the app to another team</h2>
            <p>It goes on serving, with all that it has, and counts for that team from then on.</p>
            <Form
              action="Give it to the team"
              isDangerous
              submit={give}
              fields={[{ name: "app", label: `Write ${app.name} to go on`, autocomplete: "off", only: app.name }]}
            >
              <SelectField name="team" label="Team" options={all.map(({ id, name }) => ({ value: id, text: name }))} />
            </Form>
          </section>
        )
      }
    </Show>
  );
}
