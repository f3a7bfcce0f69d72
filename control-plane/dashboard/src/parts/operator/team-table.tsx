import type { AnyTeam } from "../../client/answers.ts";
import { Time } from "../time.tsx";

interface TeamTableProps {
  teams: readonly AnyTeam[];
  /** Is called with the team whose tier is to be changed. */
  choose(team: AnyTeam): void;
}

/** Lists teams of anybody. */
export function TeamTable({ teams, choose }: TeamTableProps) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="Teams">
      <table>
        <thead>
          <tr>
            <th scope="col">Team</th>
            <th scope="col">Owner</th>
            <th scope="col">Members</th>
            <th scope="col">Apps</th>
            <th scope="col">Tier</th>
            <th scope="col">Made</th>
            <th scope="col">Action</th>
          </tr>
        </thead>
        <tbody>
          {teams.map((team) => (
            <tr key={team.id}>
              <th scope="row">
                {team.name}
                {team.personal && " (personal)"}
              </th>
              <td>{team.owner}</td>
              <td>{team.members}</td>
              <td>{team.apps}</td>
              <td>{team.tier}</td>
              <td>
                <Time at={team.created_at} />
              </td>
              <td>
                <button type="button" onClick={() => choose(team)}>
                  Change the tier
                  <span class="heard">
                    {" "}
                    of {team.name}, {team.owner}
                  </span>
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
