import { permitsRole } from "../../../../src/platform/role.ts";
import { answerOf, api } from "../../client/api.ts";
import type { Field } from "../form.tsx";
import { useLoaded } from "../loaded.tsx";
import { SelectField } from "../select-field.tsx";

export const NAME_FIELD: Field = {
  name: "name",
  label: "Name",
  hint: "Lower case letters, digits and dashes; it is a part of the app's address.",
};

/** The choice of the app's team, for a person who may make apps in several. */
export function TeamField() {
  const teams = useLoaded(async () => (await answerOf(api.GET("/api/teams"))).teams);
  const all = (teams.value ?? []).filter(({ role }) => permitsRole(role, "developer"));
  if (all.length < 2) return null;
  return <SelectField name="team" label="Team" options={all.map(({ id, name }) => ({ value: id, text: name }))} />;
}
