import type { Person, Team } from "../client/answers.ts";
import { answerOf, api } from "../client/api.ts";
import { Entries } from "../parts/activity/entries.tsx";
import { Commands } from "../parts/commands/commands.tsx";
import { early } from "../parts/early.ts";
import { PlaceLinks } from "../parts/lists/place-links.tsx";
import { Show, useLoaded } from "../parts/loaded.tsx";
import { openPersonalPage } from "../parts/open-page.tsx";

const PLATFORM = "platform";
const chosen = new URLSearchParams(location.search).get("of");

const load = early(async () => (await answerOf(api.GET("/api/teams"))).teams);

function ActivityPage({ person }: { person: Person }) {
  const teams = useLoaded(load);
  return (
    <>
      <p>Who did what, the newest first. Entries are kept for a year. The exact time shows when you point at one.</p>
      <Show of={teams}>{(all) => <Places teams={all.filter(({ role }) => role === "owner")} person={person} />}</Show>
    </>
  );
}

function Places({ teams, person }: { teams: readonly Team[]; person: Person }) {
  const places = [
    ...teams.map(({ id, name }) => ({ id, name })),
    ...(person.operator ? [{ id: PLATFORM, name: "The platform" }] : []),
  ];
  const place = places.find(({ id }) => id === chosen) ?? places[0]!;
  const team = teams.find(({ id }) => id === place.id);
  return (
    <>
      {places.length > 1 && (
        <PlaceLinks label="Whose activity" places={places} current={place.id} pathOf={(id) => `/activity?of=${id}`} />
      )}
      <h2>{place.name}</h2>
      <Entries place={team === undefined ? "platform" : team.personal ? "personal" : "team"} team={team?.id} />
      {team === undefined ? <Commands page="platform" /> : <Commands page="activity" of={team.id} />}
    </>
  );
}

void openPersonalPage("Activity", ActivityPage);
