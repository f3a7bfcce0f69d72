import type { Server } from "../../client/answers.ts";
import { agentCertificate, fullestDisk, serverState } from "../../text/server-state.ts";
import { shownShare } from "../../text/bytes.ts";
import { Time } from "../time.tsx";

/** Lists servers; each leads to its page. */
export function ServerTable({ servers }: { servers: readonly Server[] }) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="Servers">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">State</th>
            <th scope="col">Works on</th>
            <th scope="col">Waiting</th>
            <th scope="col">Apps</th>
            <th scope="col">CPU, load</th>
            <th scope="col">Memory used, promised</th>
            <th scope="col">Fullest disk</th>
            <th scope="col">Agent</th>
            <th scope="col">Certificate until</th>
            <th scope="col">Last seen</th>
          </tr>
        </thead>
        <tbody>
          {servers.map((server) => (
            <tr key={server.name}>
              <th scope="row">
                <a href={`/servers/${encodeURIComponent(server.name)}`}>{server.name}</a>
              </th>
              <ServerState server={server} />
              <td>{server.lock === null ? "nothing" : (server.lock.app ?? "a purged app")}</td>
              <td>
                {server.queue.length}
                {server.queue.oldest_since !== null && (
                  <>
                    {" "}
                    since <Time at={server.queue.oldest_since} />
                  </>
                )}
              </td>
              <td>{server.apps}</td>
              <td>
                {server.cpu !== null && `${shownShare(server.cpu.used_ratio, 1)}, ${server.cpu.load_1m.toFixed(2)}`}
              </td>
              <td>{memoryText(server)}</td>
              <td>{fullestDisk(server)}</td>
              <td>{server.agent_version}</td>
              <td class={agentCertificate(server, new Date()) === "good" ? "" : "broken"}>
                {agentCertificate(server, new Date()) === "ended" && "expired "}
                <Time at={server.certificate_until} none="" />
              </td>
              <td>
                <Time at={server.last_seen_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ServerState({ server }: { server: Server }) {
  const { text, isBroken, awaySince } = serverState(server);
  return (
    <td class={isBroken ? "broken" : ""}>
      {text}
      {awaySince !== undefined && (
        <>
          {" "}
          since <Time at={awaySince} none="it joined" />
        </>
      )}
    </td>
  );
}

function memoryText({ memory }: Server): string {
  if (memory === null) return "";
  const { total_bytes, available_bytes, promised_bytes, promisable_bytes } = memory;
  return [shownShare(total_bytes - available_bytes, total_bytes), shownShare(promised_bytes, promisable_bytes)]
    .filter((share) => share !== "")
    .join(", ");
}
