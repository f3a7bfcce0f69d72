import { answerOf, api } from "../../client/api.ts";
import { Form, textOf } from "../form.tsx";
import { Show, useLoaded } from "../loaded.tsx";
import { SelectField } from "../select-field.tsx";
import { NAME_FIELD, TeamField } from "./app-fields.tsx";
import { makeApp } from "./make-app.ts";

export function FromTemplate() {
  const templates = useLoaded(async () => (await answerOf(api.GET("/api/templates"))).templates);
  return (
    <Show of={templates}>
      {(all) => (
        <Form
          action="Make and deploy"
          submit={(values) =>
            makeApp({
              name: textOf(values, "name").trim(),
              team: textOf(values, "team"),
              source: { template: textOf(values, "template") },
              env: {},
            })
          }
          fields={[NAME_FIELD]}
        >
          <SelectField
            name="template"
            label="Template"
            options={all.map(({ slug, title }) => ({ value: slug, text: title }))}
            hint="Its repository is yours, on the platform's own git host."
          />
          <TeamField />
        </Form>
      )}
    </Show>
  );
}
