import { useEffect, useRef } from "preact/hooks";
import type { AnyTeam, Person, Tier } from "../../client/answers.ts";
import { answerOf, api } from "../../client/api.ts";
import { Form, textOf } from "../form.tsx";
import { proofFields, proofOf } from "../proof-fields.ts";
import { SelectField } from "../select-field.tsx";

interface ChangeTierProps {
  person: Person;
  team: AnyTeam;
  tiers: readonly Tier[];
  onDone(outcome: string): Promise<void>;
  onCancel(): void;
}

/** The form that moves one team to another tier. It takes the focus, since it opens below a list. */
export function ChangeTier({ person, team, tiers, onDone, onCancel }: ChangeTierProps) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    place.current?.scrollIntoView();
    place.current?.focus();
  }, []);
  async function change(values: FormData) {
    const body = { tier: textOf(values, "tier"), ...proofOf(values) };
    const params = { path: { team: team.id } };
    const { team: changed } = await answerOf(api.PUT("/api/operator/teams/{team}/tier", { params, body }));
    await onDone(`${changed.name} is on the tier ${changed.tier} now.`);
  }
  return (
    <section aria-labelledby="change" tabIndex={-1} ref={place}>
      <h2 id="change">
        Tier of {team.name}
        {team.personal && `, ${team.owner}`}
      </h2>
      {team.personal && <p>With it, all that {team.owner} changes anywhere is limited by the new tier.</p>}
      <p>Nothing that runs is stopped. The limits hold from the next app and the next deploy on.</p>
      <Form account={person.email} action="Change the tier" submit={change} fields={proofFields(person)}>
        <SelectField
          name="tier"
          label="Tier"
          value={team.tier}
          options={tiers.map(({ name }) => ({ value: name, text: name }))}
        />
      </Form>
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
    </section>
  );
}
