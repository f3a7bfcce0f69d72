import type { AppOnServer, Server } from "../../client/answers.ts";
import { shownBytes, shownShare } from "../../text/bytes.ts";
import { agentCertificate, serverState } from "../../text/server-state.ts";
import { Time } from "../time.tsx";

/** The figures of a server. */
export function ServerFacts({ server }: { server: Server }) {
  const { cpu, memory, disks, lock } = server;
  const { text, isBroken } = serverState(server);
  return (
    <dl>
      <dt>State</dt>
      <dd class={isBroken ? "broken" : ""}>{text}</dd>
      <dt>Last seen</dt>
      <dd>
        <Time at={server.last_seen_at} />
      </dd>
      <dt>Works on</dt>
      <dd>{lock === null ? "nothing" : <LockText lock={lock} />}</dd>
      {cpu !== null && (
        <>
          <dt>CPU</dt>
          <dd>
            {shownShare(cpu.used_ratio, 1)} of {cpu.cores} cores, load {cpu.load_1m.toFixed(2)}
          </dd>
        </>
      )}
      {memory !== null && (
        <>
          <dt>Memory</dt>
          <dd>
            {shownBytes(memory.total_bytes - memory.available_bytes)} of {shownBytes(memory.total_bytes)} used
            {memory.promisable_bytes > 0 &&
              `; ${shownBytes(memory.promised_bytes)} of ${shownBytes(memory.promisable_bytes)} promised to apps and databases`}
          </dd>
        </>
      )}
      {disks.map(({ purpose, total_bytes, available_bytes }) => [
        <dt key={purpose}>Disk ({purpose})</dt>,
        <dd key={`${purpose} value`}>
          {shownBytes(total_bytes - available_bytes)} of {shownBytes(total_bytes)} used
        </dd>,
      ])}
      <dt>Figures of</dt>
      <dd>
        <Time at={server.observed_at} />
      </dd>
      <dt>Agent</dt>
      <dd class={agentCertificate(server, new Date()) === "good" ? "" : "broken"}>
        {server.agent_version ?? "none yet"}
        {server.certificate_until !== null && (
          <>
            , recognised until <Time at={server.certificate_until} />
          </>
        )}
      </dd>
      <dt>Joined</dt>
      <dd>
        <Time at={server.joined_at} none="not yet" />
      </dd>
    </dl>
  );
}

function LockText({ lock }: { lock: NonNullable<Server["lock"]> }) {
  return (
    <>
      {lock.app ?? "a purged app"}
      {lock.taken_at !== null && (
        <>
          {" "}
          since <Time at={lock.taken_at} />
        </>
      )}
    </>
  );
}

/** @param count of all apps there; the list may be shorter */
export function AppsOnServer({ apps, count }: { apps: readonly AppOnServer[]; count: number }) {
  if (apps.length === 0) return <p>No app lives here.</p>;
  return (
    <>
      <div class="wide" tabIndex={0} role="region" aria-label="Apps">
        <table>
          <thead>
            <tr>
              <th scope="col">App</th>
              <th scope="col">State</th>
              <th scope="col">Team</th>
            </tr>
          </thead>
          <tbody>
            {apps.map(({ name, status, team }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{status.replace("_", " ")}</td>
                <td>{team}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {count > apps.length && <p class="hint">{count - apps.length} more live here.</p>}
    </>
  );
}
