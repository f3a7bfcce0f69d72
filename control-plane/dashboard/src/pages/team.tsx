import type { Person, Team } from "../client/answers.ts";
import { answerOf, api, done } from "../client/api.ts";
import { Commands } from "../parts/commands/commands.tsx";
import { early } from "../parts/early.ts";
import { Form, textOf } from "../parts/form.tsx";
import { PlaceLinks } from "../parts/lists/place-links.tsx";
import { Show, useLoaded } from "../parts/loaded.tsx";
import { openPersonalPage } from "../parts/open-page.tsx";
import { Invitations } from "../parts/teams/invitations.tsx";
import { Members, readMembers } from "../parts/teams/members.tsx";
import { ActionButton } from "../parts/action-button.tsx";

const chosen = new URLSearchParams(location.search).get("team");

const load = early(() => answerOf(api.GET("/api/teams")));
const loadMembers = chosen === null ? undefined : early(() => readMembers(chosen));

function Teams({ person }: { person: Person }) {
  const teams = useLoaded(load);
  const team = teams.value?.teams.find(({ id }) => id === chosen) ?? teams.value?.teams[0];
  async function make(values: FormData) {
    const { team } = await answerOf(api.POST("/api/teams", { body: { name: textOf(values, "name") } }));
    location.assign(`/settings/team?team=${team.id}`);
  }
  return (
    <>
      <Show of={teams}>
        {({ teams: all }) => (
          <>
            <PlaceLinks label="Teams" places={all} current={team?.id} pathOf={(id) => `/settings/team?team=${id}`} />
            {team !== undefined && <OneTeam key={team.id} team={team} person={person} />}
          </>
        )}
      </Show>
      <section aria-labelledby="new-team">
        <h2 id="new-team">Make a team</h2>
        <Form action="Make the team" submit={make} fields={[{ name: "name", label: "Name of the team" }]} />
      </section>
      {team !== undefined && <Commands page="team" of={team.id} />}
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

/** Leaves the team; owners rename and delete it. */
function ManageTeam({ team }: { team: Team }) {
  const params = { path: { team: team.id } };
  async function rename(values: FormData) {
    await done(api.PATCH("/api/teams/{team}", { params, body: { name: textOf(values, "name") } }));
    location.reload();
  }
  async function leave() {
    await done(api.POST("/api/teams/{team}/leave", { params }));
    location.assign("/settings/team");
  }
  async function remove() {
    await done(api.DELETE("/api/teams/{team}", { params }));
    location.assign("/settings/team");
  }
  return (
    <section aria-labelledby="manage">
      <h3 id="manage">This team</h3>
      {team.role === "owner" && (
        <Form action="Rename the team" submit={rename} fields={[{ name: "name", label: "Name", value: team.name }]} />
      )}
      <div class="row">
        <ActionButton label="Leave the team" isDangerous warning="Your keys in the team end." act={leave} />
        {team.role === "owner" && (
          <ActionButton label="Delete the team" isDangerous warning="It is gone for ever." act={remove} />
        )}
      </div>
    </section>
  );
}

void openPersonalPage("Teams", Teams);
