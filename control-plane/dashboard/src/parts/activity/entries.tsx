import { useSignal } from "@preact/signals";
import type { Member } from "../../client/answers.ts";
import { answerOf, api } from "../../client/api.ts";
import { kindsOf } from "../../text/activity/kinds.ts";
import { Filter } from "./filter.tsx";
import { Complaint } from "../form.tsx";
import { usePaged } from "../lists/paged.ts";
import { ShowMore } from "../lists/show-more.tsx";
import { Show, useLoaded } from "../loaded.tsx";
import { ActivityTable } from "./activity-table.tsx";

interface EntriesProps {
  place: "platform" | "personal" | "team";
  /** The team's id; undefined for the platform. */
  team: string | undefined;
}

/** The entries of a team, or of the platform, by person and kind. */
export function Entries({ place, team }: EntriesProps) {
  const user = useSignal("");
  const kind = useSignal("");
  const members = useLoaded(() => (team === undefined ? Promise.resolve([]) : readMembers(team)));
  const about = `${user.value} ${kind.value}`;
  const entries = usePaged(about, async (cursor) => {
    const query = {
      ...(user.value === "" ? {} : { user: user.value }),
      ...(kind.value === "" ? {} : { action: kind.value }),
      ...(cursor === undefined ? {} : { cursor }),
    };
    const asked =
      team === undefined
        ? api.GET("/api/operator/activity", { params: { query } })
        : api.GET("/api/teams/{team}/activity", { params: { path: { team }, query } });
    const { activity: rows, next_cursor: next } = await answerOf(asked);
    return { rows, next };
  });
  const people = (members.value ?? []).map(({ user_id, email }) => ({ value: user_id, text: email }));
  const isFiltered = user.value !== "" || kind.value !== "";
  return (
    <>
      <div class="row">
        {place === "team" && (
          <Filter
            label="Person"
            options={[{ value: "", text: "Everybody" }, ...people]}
            onChoose={(value) => (user.value = value)}
          />
        )}
        <Filter label="Kind" options={kindsOf(place)} onChoose={(value) => (kind.value = value)} />
      </div>
      {members.refusal !== "" && <Complaint sentence={members.refusal} />}
      <Show of={entries}>
        {(rows) =>
          rows.length === 0 ? (
            <p>{isFiltered ? "There is no such entry." : "Nothing was done yet."}</p>
          ) : (
            <ActivityTable entries={rows} />
          )
        }
      </Show>
      <ShowMore key={about} label="Show older entries" more={entries.more} />
    </>
  );
}

async function readMembers(team: string): Promise<readonly Member[]> {
  return (await answerOf(api.GET("/api/teams/{team}/members", { params: { path: { team } } }))).members;
}
