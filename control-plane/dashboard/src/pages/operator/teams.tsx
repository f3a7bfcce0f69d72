import { useSignal } from "@preact/signals";
import type { AnyTeam, Person, Tier } from "../../client/answers.ts";
import { answerOf, api } from "../../client/api.ts";
import { Commands } from "../../parts/commands/commands.tsx";
import { Form, textOf } from "../../parts/form.tsx";
import { useRefreshedPages } from "../../parts/lists/paged.ts";
import { ShowMore } from "../../parts/lists/show-more.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { Show } from "../../parts/loaded.tsx";
import { useNotice } from "../../parts/notice.tsx";
import { openOperatorPage } from "../../parts/operator/open-operator-page.tsx";
import { type Loaded, useRefreshed } from "../../parts/refreshed.tsx";
import { Time } from "../../parts/time.tsx";
import { useEffect, useRef } from "preact/hooks";
import { proofFields, proofOf } from "../../parts/proof-fields.ts";
import { SelectField } from "../../parts/select-field.tsx";

function AllTeams({ person }: { person: Person }) {
  const find = useSignal("");
  const tiers = useRefreshed(async () => (await answerOf(api.GET("/api/operator/tiers"))).tiers);

  async function search(values: FormData) {
    find.value = textOf(values, "find").trim();
  }
  return (
    <>
      <Form
        key={find.value}
        action="Find"
        submit={search}
        fields={[
          { name: "find", label: "Name, or address of an owner", value: find.value, maxLength: 254, isOptional: true },
        ]}
      />
      <FoundTeams key={`found ${find.value}`} find={find.value} person={person} tiers={tiers} />
      <section aria-labelledby="tiers">
        <h2 id="tiers">Tiers</h2>
        <Show of={tiers}>
          {(all) => (
            <Table
              label="Table of tiers"
              rows={all}
              keyOf={({ name }) => name}
              columns={{
                Tier: ({ name }) => name,
                "Apps at most": ({ apps }) => apps,
                "Memory of an app": ({ memory }) => memory,
                "CPUs of an app": ({ cpus }) => cpus,
              }}
            />
          )}
        </Show>
      </section>
      <Commands page="teams" />
    </>
  );
}

interface FoundTeamsProps {
  /** The text that was asked for; empty for all teams. */
  find: string;
  person: Person;
  tiers: Loaded<readonly Tier[]>;
}

function FoundTeams({ find, person, tiers }: FoundTeamsProps) {
  const load = async (cursor: string | undefined) => {
    const query = { ...(find === "" ? {} : { find }), ...(cursor === undefined ? {} : { cursor }) };
    const { teams: rows, next_cursor: next } = await answerOf(api.GET("/api/operator/teams", { params: { query } }));
    return { rows, next };
  };
  const teams = useRefreshedPages(load, "all");
  const chosen = useSignal<AnyTeam | undefined>(undefined);
  const { say, notice } = useNotice();

  async function finish(sentence: string) {
    chosen.value = undefined;
    await teams.reload();
    say(sentence);
  }
  return (
    <>
      {notice}
      <Show of={teams}>
        {(rows) =>
          rows.length === 0 ? (
            <p>{find === "" ? "There are no teams yet." : `No team is found by “${find}”.`}</p>
          ) : (
            <TeamTable teams={rows} choose={(team) => (chosen.value = team)} />
          )
        }
      </Show>
      <ShowMore label="Show more teams" more={teams.more} />
      {chosen.value !== undefined && (
        <Show of={tiers}>
          {(all) => (
            <ChangeTier
              key={chosen.value?.id}
              person={person}
              team={chosen.value!}
              tiers={all}
              onDone={finish}
              onCancel={() => (chosen.value = undefined)}
            />
          )}
        </Show>
      )}
    </>
  );
}

interface TeamTableProps {
  teams: readonly AnyTeam[];
  /** Is called with the team whose tier is to be changed. */
  choose(team: AnyTeam): void;
}

/** Lists teams of anybody. */
function TeamTable({ teams, choose }: TeamTableProps) {
  return (
    <Table
      label="Teams"
      rows={teams}
      keyOf={({ id }) => id}
      columns={{
        Team: ({ name, personal }) => name + (personal ? " (personal)" : ""),
        Owner: ({ owner }) => owner,
        Members: ({ members }) => members,
        Apps: ({ apps }) => apps,
        Tier: ({ tier }) => tier,
        Made: ({ created_at }) => <Time at={created_at} />,
        Action: (team) => (
          <button type="button" onClick={() => choose(team)}>
            Change the tier
            <span class="heard">
              {" "}
              of {team.name}, {team.owner}
            </span>
          </button>
        ),
      }}
    />
  );
}

interface ChangeTierProps {
  person: Person;
  team: AnyTeam;
  tiers: readonly Tier[];
  onDone(outcome: string): Promise<void>;
  onCancel(): void;
}

/** The form that moves one team to another tier. It takes the focus, since it opens below a list. */
function ChangeTier({ person, team, tiers, onDone, onCancel }: ChangeTierProps) {
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

openOperatorPage("All teams", AllTeams);
