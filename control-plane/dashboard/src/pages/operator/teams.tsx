import { useSignal } from "@preact/signals";
import type { AnyTeam, Person, Tier } from "../../client/answers.ts";
import { answerOf, api } from "../../client/api.ts";
import { Form, textOf } from "../../parts/form.tsx";
import { usePaged } from "../../parts/lists/paged.ts";
import { ShowMore } from "../../parts/lists/show-more.tsx";
import { Show, useLoaded } from "../../parts/loaded.tsx";
import { useNotice } from "../../parts/notice.tsx";
import { ChangeTier } from "../../parts/operator/change-tier.tsx";
import { openOperatorPage } from "../../parts/operator/open-operator-page.tsx";
import { TeamTable } from "../../parts/operator/team-table.tsx";

function AllTeams({ person }: { person: Person }) {
  const find = useSignal("");
  const teams = usePaged(find.value, async (cursor) => {
    const query = { ...(find.value === "" ? {} : { find: find.value }), ...(cursor === undefined ? {} : { cursor }) };
    const { teams: rows, next_cursor: next } = await answerOf(api.GET("/api/operator/teams", { params: { query } }));
    return { rows, next };
  });
  const tiers = useLoaded(async () => (await answerOf(api.GET("/api/operator/tiers"))).tiers);
  const chosen = useSignal<AnyTeam | undefined>(undefined);
  const { say, notice } = useNotice();

  async function search(values: FormData) {
    find.value = textOf(values, "find").trim();
    chosen.value = undefined;
  }
  async function finish(sentence: string) {
    chosen.value = undefined;
    await teams.reload();
    say(sentence);
  }
  return (
    <>
      {notice}
      <Form
        key={find.value}
        action="Find"
        submit={search}
        fields={[
          {
            name: "find",
            label: "Name, or address of an owner",
            autocomplete: "off",
            value: find.value,
            maxLength: 254,
            isOptional: true,
          },
        ]}
      />
      <Show of={teams}>
        {(rows) =>
          rows.length === 0 ? (
            <p>{find.value === "" ? "There are no teams yet." : `No team is found by “${find.value}”.`}</p>
          ) : (
            <TeamTable teams={rows} choose={(team) => (chosen.value = team)} />
          )
        }
      </Show>
      <ShowMore key={`more ${find.value}`} label="Show more teams" more={teams.more} />
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
      <section aria-labelledby="tiers">
        <h2 id="tiers">Tiers</h2>
        <Show of={tiers}>{(all) => <TierTable tiers={all} />}</Show>
      </section>
    </>
  );
}

function TierTable({ tiers }: { tiers: readonly Tier[] }) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="Table of tiers">
      <table>
        <thead>
          <tr>
            <th scope="col">Tier</th>
            <th scope="col">Apps at most</th>
            <th scope="col">Memory of an app</th>
            <th scope="col">CPUs of an app</th>
          </tr>
        </thead>
        <tbody>
          {tiers.map(({ name, apps, memory, cpus }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{apps}</td>
              <td>{memory}</td>
              <td>{cpus}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

openOperatorPage("All teams", AllTeams);
