import { mkdtemp, rm } from "node:fs/promises";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { connect } from "node:tls";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { CONTROL_PLANE_NAME } from "@svc/shared/rules/fleet-identity.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { byCommand } from "@svc/control-plane/platform/audit.store.ts";
import { recordLink } from "@svc/control-plane/fleet/links/server-links.store.ts";
import { findServer } from "@svc/control-plane/fleet/servers.store.ts";
import { Authority } from "@svc/control-plane/fleet/authority/authority.ts";
import { createJoinToken } from "@svc/control-plane/fleet/joining/create-join-token.ts";
import type { Links } from "@svc/control-plane/fleet/links/links.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { codeOf } from "../../support/agent/fleet-world.ts";
import { fleetTest as test } from "../../support/agent/fleet-test.ts";

describe("several control planes", () => {
  test("know of one another's links", async ({ world, database, authority, links }) => {
    const other = await world.startFurtherLinks();
    const identity = await world.joinNew();
    const agent = await world.linkedAgent(identity, other);
    const linked = async () => (await findServer(database.db, identity.name))?.linked;
    await eventually(linked, (seen) => seen === true, { what: "the link is known" });
    expect(links.agent(identity.serverId)).toBeUndefined();

    await agent.dialOut(links.address, identity, authority.certificatePem);
    await world.linkOf(identity, links);
    const holder = async () => (await findServer(database.db, identity.name))?.link_process_id;
    const before = await holder();
    await other.stop();
    expect(await linked()).toBe(true);
    expect(await holder()).toBe(before);
  });

  test("forget the links of a process that died", async ({ world, database }) => {
    const identity = await world.joinNew();
    await recordLink(
      database.db,
      identity.serverId,
      { processId: newId(), validMs: 2_000 },
      new Date(Date.now() + 3_600_000),
    );
    const linked = async () => (await findServer(database.db, identity.name))?.linked;
    expect(await linked()).toBe(true);
    await eventually(linked, (seen) => seen === false, { what: "the link is forgotten" });
  });
});

test("a control plane with another authority does not start beside a fleet that would not trust it", async ({
  world,
  database,
}) => {
  await world.joinNew();
  const elsewhere = await mkdtemp(join(tmpdir(), "svc-fleet-"));
  const stranger = await Authority.open(elsewhere);
  await expect(world.startFurtherLinks({}, stranger)).rejects.toThrow(/Copy the folder fleet/);
  await expect(createJoinToken(database.db, stranger.fingerprint, byCommand)).rejects.toThrow(/Copy the folder fleet/);
  await rm(elsewhere, { recursive: true });
});

test("a control plane renews its own certificate while it serves", async ({ world, authority }) => {
  const brief = await Authority.open(world.dataDirectory, { memberLifeMs: 9_000 });
  const own = await world.startFurtherLinks({}, brief);
  const first = await serialAt(own, authority);
  await eventually(
    () => serialAt(own, authority),
    (serial) => serial !== first,
    { what: "another certificate is shown", deadlineMs: 20_000 },
  );
  expect(await codeOf(world.joinNew({ via: own }))).toBe("no error");
});

/** Reads the serial number of the certificate that a new connection is shown. */
async function serialAt(on: Links, authority: Authority): Promise<string> {
  const { host, port } = on.address;
  const options = { host, port, ca: authority.certificatePem, servername: CONTROL_PLANE_NAME, ALPNProtocols: ["h2"] };
  const socket = connect(options);
  await once(socket, "secureConnect");
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}
