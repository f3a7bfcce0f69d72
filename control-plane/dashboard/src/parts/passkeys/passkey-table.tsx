import type { Passkey } from "../../client/answers.ts";
import { Time } from "../time.tsx";

interface PasskeyTableProps {
  passkeys: readonly Passkey[];
  /** Shows the form that does it. */
  open(action: "rename" | "remove", passkey: Passkey): void;
}

export function PasskeyTable({ passkeys, open }: PasskeyTableProps) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="Your passkeys">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Kept</th>
            <th scope="col">Added</th>
            <th scope="col">Last used</th>
            <th scope="col">Action</th>
          </tr>
        </thead>
        <tbody>
          {passkeys.map((passkey) => (
            <tr key={passkey.id}>
              <th scope="row">{passkey.name}</th>
              <td>{passkey.backed_up ? "with a copy elsewhere" : "on one device"}</td>
              <td>
                <Time at={passkey.created_at} />
              </td>
              <td>
                <Time at={passkey.last_used_at} />
              </td>
              <td>
                <button type="button" onClick={() => open("rename", passkey)}>
                  Rename …<span class="heard"> the passkey {passkey.name}</span>
                </button>
                <button type="button" class="danger" onClick={() => open("remove", passkey)}>
                  Remove …<span class="heard"> the passkey {passkey.name}</span>
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
