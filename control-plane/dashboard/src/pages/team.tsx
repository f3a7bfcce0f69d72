import type { Person, Team } from "../client/answers.ts";
import { answerOf, api } from "../client/api.ts";
import { early } from "../parts/early.ts";
import { Form, textOf } from "../parts/form.tsx";
import { PlaceLinks } from "../parts/lists/place-links.tsx";
import { Show, useLoaded } from "../parts/loaded.tsx";
import { openPersonalPage } from "../parts/open-page.tsx";
import { Invitations } from "../parts/teams/invitations.tsx";
import { ManageTeam } from "../parts/teams/manage-team.tsx";
import { Members, readMembers } from "../parts/teams/members.tsx";

const chosen = new URLSearchParams(location.search).get("team");

const load = early(() => answerOf(api.GET("/api/teams")));
const loadMembers = chosen === null ? undefined : early(() => readMembers(chosen));

function Teams({ person }: { person: Person }) {
  const teams = useLoaded(load);
  async function make(values: FormData) {
    const { team } = await answerOf(api.POST("/api/teams", { body: { name: textOf(values, "name") } }));
    location.assign(`/settings/team?team=${team.id}`);
  }
  return (
    <>
      <Show of={teams}>
        {({ teams }) => {
          const team = teams.find(({ id }) => id === chosen) ?? teams[0];
          return (
            <>
              <PlaceLinks
                label="Teams"
                places={teams}
                current={team?.id}
                pathOf={(id) => `/settings/team?team=${id}`}
              />
              {team !== undefined && <OneTeam key={team.id} team={team} person={person} />}
            </>
          );
        }}
      </Show>
      <section aria-labelledby="new-team">
        <h2 id="new-team">Make a team</h2>
        <Form
          action="Make the team"
          submit={make}
          fields={[{ name: "name", label: "Name of the team", autocomplete: "off" }]}
        />
      </section>
    </>
  );
}

function OneTeam({ team, person }: { team: Team; person: Person }) {
  const isOwner = team.role === "owner";
  return (
    <>
      <h2>{team.name}</h2>
      <p>
        {team.personal ? "Your personal team, which stays yours alone." : `You are in this team as ${team.role}.`} Its
        tier is {team.tier}.
      </p>
      <Members team={team} person={person} load={(team.id === chosen && loadMembers) || (() => readMembers(team.id))} />
      {!team.personal && isOwner && <Invitations team={team} />}
      {!team.personal && <ManageTeam team={team} />}
    </>
  );
}

void openPersonalPage("Teams", Teams);
