/**
 * The rooms (README, How it is built): a file imports from its own room and from those to its left, never to its right.
 * The compiler does not enforce this, so `npm run check` does.
 */
const controlPlane = [
  ["domain"],
  ["db", "ports.ts", "secrets"],
  ["fleet", "hosting", "domains", "operations"],
  ["http", "pipeline", "webhooks", "dashboard"],
  ["admin", "app.ts", "config.ts"],
  ["main.ts"],
];
const agent = [
  // The ports are types only, and the domain speaks in them.
  ["domain", "ports.ts"],
  ["git", "docker", "postgres", "proxy", "dummy", "host.ts", "disk-room.ts"],
  ["steps"],
  ["lock.ts", "journal.ts", "retire.ts", "app-control.ts", "status", "access", "bounds", "probation"],
  ["step-runner.ts"],
  ["rpc", "fleet", "http.ts"],
  ["app.ts", "config.ts"],
  ["main.ts"],
];

const cli = [
  ["cli-error.ts", "command.ts", "terminal.ts", "ask.ts", "output", "version.ts", "node-20.ts", "gen"],
  ["api", "project", "secrets", "parse-command-line.ts", "help.ts"],
  ["deploy"],
  ["commands"],
  ["command-table.ts"],
  ["run-command-line.ts"],
  ["main.ts"],
];

const inRoom = (workspace, rooms) =>
  `^${workspace}/src/(${rooms.map((room) => room.replace(".", "\\.")).join("|")})(/|$)`;

function neverToTheRight(workspace, order) {
  return order.slice(0, -1).map((rooms, i) => ({
    name: `${workspace}: ${rooms.join(", ")} import nothing to their right`,
    severity: "error",
    from: { path: inRoom(workspace, rooms), pathNot: "\\.test\\.ts$" },
    to: { path: inRoom(workspace, order.slice(i + 1).flat()) },
  }));
}

function neverOneAnother(workspace, rooms) {
  return rooms.map((room) => ({
    name: `${workspace}: ${room} imports no other caller`,
    severity: "error",
    from: { path: inRoom(workspace, [room]), pathNot: "\\.test\\.ts$" },
    to: {
      path: inRoom(
        workspace,
        rooms.filter((other) => other !== room),
      ),
    },
  }));
}

module.exports = {
  forbidden: [
    ...neverToTheRight("control-plane", controlPlane),
    ...neverToTheRight("agent", agent),
    ...neverToTheRight("cli", cli),
    ...neverOneAnother("control-plane", ["http", "pipeline", "webhooks", "dashboard"]),
    {
      name: "shared imports no other workspace",
      severity: "error",
      from: { path: "^shared/" },
      to: { path: "^(control-plane|agent|cli|test)/" },
    },
    {
      name: "control plane and agent know one another by the wire only",
      severity: "error",
      from: { path: "^(control-plane|agent)/" },
      to: { path: "^(control-plane|agent)/", pathNot: "^$1/" },
    },
    {
      name: "the command-line tool knows the control plane by its REST API only",
      severity: "error",
      from: { path: "^cli/" },
      to: { path: "^(control-plane|agent|deploy)/" },
    },
    {
      name: "nothing of the product imports tests",
      severity: "error",
      from: { path: "^(shared|control-plane|agent|cli)/src", pathNot: "\\.test\\.ts$" },
      to: { path: "^test/" },
    },
    { name: "no circles", severity: "error", from: {}, to: { circular: true } },
    { name: "every import resolves", severity: "error", from: {}, to: { couldNotResolve: true } },
    {
      name: "domain is pure",
      severity: "error",
      from: { path: "^(control-plane|agent)/src/domain/", pathNot: "\\.test\\.ts$" },
      to: { dependencyTypes: ["core"], pathNot: "^(node:)?(crypto|buffer|net|path|util)$" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "shared/src/gen/" },
    parser: "swc",
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types", "node", "default"] },
  },
};
