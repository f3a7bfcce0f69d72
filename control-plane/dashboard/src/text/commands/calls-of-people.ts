import type { CallsOfPages } from "./call.ts";

export type PersonalPage = "apps" | "new" | "team" | "activity" | "chat";

export const PERSONAL_CALLS: CallsOfPages<PersonalPage> = {
  apps: [{ does: "List the apps", request: "GET /api/apps", svc: "apps" }],
  new: [
    {
      does: "See what would be built",
      request: "POST /api/plan",
      body: { repo_url: "https://github.com/you/hello" },
      svc: "plan https://github.com/you/hello",
    },
    {
      does: "Make an app of a repository",
      request: "POST /api/apps",
      body: { name: "hello", repo_url: "https://github.com/you/hello", needs_database: true },
      svc: "up --app hello",
    },
    {
      does: "Set its variables",
      request: "PUT /api/apps/{name}/env",
      params: { name: "hello" },
      body: { env: { KEY: "value" } },
      svc: "env set KEY=value --app hello",
    },
    {
      does: "Deploy it",
      request: "POST /api/apps/{name}/deploy",
      params: { name: "hello" },
      body: {},
      svc: "deploy --app hello",
    },
    { does: "List the templates", request: "GET /api/templates" },
    {
      does: "Make an app of a template",
      request: "POST /api/apps",
      body: { name: "notes", template: "express-postgres" },
    },
    {
      does: "Make a repository to push to",
      request: "POST /api/repositories",
      body: { name: "mine" },
      svc: "up --local --app mine",
    },
    {
      does: "Make an app of that repository",
      request: "POST /api/apps",
      body: { name: "mine", repo_url: "REPO_URL" },
    },
    {
      does: "Deploy each push",
      request: "PATCH /api/apps/{name}",
      params: { name: "mine" },
      body: { deploy_on_push: true },
    },
  ],
  team: [
    { does: "List your teams", request: "GET /api/teams", svc: "teams" },
    { does: "Make a team", request: "POST /api/teams", body: { name: "Acme" } },
    { does: "List the members", request: "GET /api/teams/{team}/members" },
    {
      does: "Change a member's role",
      request: "PUT /api/teams/{team}/members/{user}",
      params: { user: "USER" },
      body: { role: "developer" },
    },
    { does: "Remove a member", request: "DELETE /api/teams/{team}/members/{user}", params: { user: "USER" } },
    { does: "List the invitations", request: "GET /api/teams/{team}/invitations" },
    {
      does: "Invite somebody",
      request: "POST /api/teams/{team}/invitations",
      body: { email: "grace@example.com", role: "developer" },
    },
    {
      does: "Take an invitation back",
      request: "DELETE /api/teams/{team}/invitations/{invitation}",
      params: { invitation: "INVITATION" },
    },
    { does: "Rename the team", request: "PATCH /api/teams/{team}", body: { name: "Acme" } },
    { does: "Leave the team", request: "POST /api/teams/{team}/leave", body: {} },
    { does: "Delete the team", request: "DELETE /api/teams/{team}" },
  ],
  activity: [
    { does: "Read who did what", request: "GET /api/teams/{team}/activity" },
    { does: "Read what was done to apps", request: "GET /api/teams/{team}/activity", query: "action=app." },
    { does: "Read what a person did", request: "GET /api/teams/{team}/activity", query: "user=USER" },
    { does: "List the members", request: "GET /api/teams/{team}/members" },
  ],
  chat: [
    { does: "List your conversations", request: "GET /api/conversations" },
    { does: "Begin a conversation", request: "POST /api/conversations", body: {} },
    {
      does: "Write a message, and follow the answer",
      request: "POST /api/conversations/{id}/messages",
      params: { id: "CONVERSATION" },
      body: { text: "status of shop" },
      isStream: true,
    },
    {
      does: "Do what a card proposes, or leave it",
      request: "POST /api/conversations/{id}/cards/{card}",
      params: { id: "CONVERSATION", card: "CARD" },
      body: { decision: "do", signature: "SIGNATURE" },
      isStream: true,
    },
    { does: "Read a conversation", request: "GET /api/conversations/{id}", params: { id: "CONVERSATION" } },
    { does: "Delete a conversation", request: "DELETE /api/conversations/{id}", params: { id: "CONVERSATION" } },
  ],
};
