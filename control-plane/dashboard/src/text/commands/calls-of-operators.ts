import type { CallsOfPages } from "./call.ts";

export type OperatorPage = "servers" | "server" | "teams" | "platform";

/** The calls that take no key: whoever makes them is signed in (decision 031). `PASSWORD` is their own. */
export const OPERATOR_CALLS: CallsOfPages<OperatorPage> = {
  servers: [
    { does: "List the servers", request: "GET /api/servers", admin: "server list" },
    {
      does: "Make a join command",
      request: "POST /api/servers",
      body: { name: "server-2", password: "PASSWORD" },
      admin: "server token --name server-2",
    },
  ],
  server: [
    { does: "Read the server", request: "GET /api/servers/{name}", admin: "server status {name}" },
    {
      does: "Drain the server",
      request: "POST /api/servers/{name}/drain",
      body: {},
      admin: "server drain {name}",
    },
    {
      does: "Let it take new apps",
      request: "POST /api/servers/{name}/undrain",
      body: {},
      admin: "server undrain {name}",
    },
    {
      does: "Set its pool, labels and address",
      request: "PATCH /api/servers/{name}",
      body: { pool: "default", labels: ["ssd", "zone=eu-1"], address: "192.0.2.7:443" },
      admin: "server set {name} --pool default --labels ssd,zone=eu-1 --address 192.0.2.7:443",
    },
  ],
  teams: [
    { does: "List all teams", request: "GET /api/operator/teams" },
    { does: "Find teams by name or owner", request: "GET /api/operator/teams", query: "find=ada" },
    { does: "List the tiers", request: "GET /api/operator/tiers" },
    {
      does: "Change the tier of a team",
      request: "PUT /api/operator/teams/{team}/tier",
      params: { team: "TEAM" },
      body: { tier: "team", password: "PASSWORD" },
      admin: "team tier --team TEAM --tier team",
    },
  ],
  platform: [
    { does: "Read what was done to the platform", request: "GET /api/operator/activity" },
    { does: "Read what was done to servers", request: "GET /api/operator/activity", query: "action=server." },
  ],
};
