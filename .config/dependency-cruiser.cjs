const { agent, agentPorts, cli, controlPlane, dashboard, foldersOfRules, rules, shared } = require("./rooms.cjs");

const inRoom = (workspace, rooms) =>
  `^${workspace}/src/(${rooms.map((room) => room.replace(".", "\\.")).join("|")})(/|$)`;

const literally = (path) => path.replaceAll(".", "\\.");
const isRule = [...rules.map((path) => `^${literally(path)}$`), ...foldersOfRules.map((path) => `^${path}/`)];
const isTest = "\\.test\\.ts$";
const isStore = "\\.store\\.ts$";

/** Of the control plane's rooms, those that are a subject. */
const subjects =
  "^control-plane/src/(accounts|fleet|repositories|apps|domains|webhooks|deploys|observed|lifecycle|logs|operators)/";
/** Work in the background, which only the wiring starts. */
const background = [
  "^control-plane/src/accounts/mail/(mailer|(file|smtp)-sender)\\.ts$",
  "^control-plane/src/apps/removal/removals\\.ts$",
  "^control-plane/src/deploys/pipeline/",
  "^control-plane/src/webhooks/(deliverer|send-delivery)\\.ts$",
];

function neverToTheRight(workspace, order) {
  return order.slice(0, -1).map((rooms, i) => ({
    name: `${workspace}: ${rooms.join(", ")} import nothing to their right`,
    severity: "error",
    from: { path: inRoom(workspace, rooms), pathNot: "\\.test\\.ts$" },
    to: { path: inRoom(workspace, order.slice(i + 1).flat()) },
  }));
}

module.exports = {
  forbidden: [
    ...neverToTheRight("shared", shared),
    ...neverToTheRight("control-plane", controlPlane),
    ...neverToTheRight("control-plane/dashboard", dashboard),
    ...neverToTheRight("agent", agent),
    ...neverToTheRight("cli", cli),
    {
      name: "pages import of the daemons rules alone",
      severity: "error",
      from: { path: "^control-plane/dashboard/" },
      to: { path: "^(control-plane/src|agent|deploy)/", pathNot: isRule },
    },
    {
      name: "pages import of the command-line tool the types of its client alone",
      severity: "error",
      from: { path: "^control-plane/dashboard/" },
      to: { path: "^cli/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "daemons and pages know one another by HTTP only",
      severity: "error",
      from: { path: "^(control-plane/src|agent|cli|shared)/" },
      to: { path: "^control-plane/dashboard/" },
    },
    {
      name: "the agent's ports are types alone",
      severity: "error",
      from: { path: inRoom("agent", [agentPorts]) },
      to: { path: "^agent/src", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "shared imports no other workspace",
      severity: "error",
      from: { path: "^shared/" },
      to: { path: "^(control-plane|agent|cli)/" },
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
      from: { path: "^(shared|control-plane|control-plane/dashboard|agent|cli)/src", pathNot: "\\.test\\.ts$" },
      to: { path: "^test/" },
    },
    {
      name: "a rule has no effects",
      severity: "error",
      from: { path: isRule, pathNot: isTest },
      to: { dependencyTypes: ["core"], pathNot: "^(node:)?(crypto|buffer|net|path|util)$" },
    },
    {
      name: "a rule imports rules alone",
      severity: "error",
      from: { path: isRule, pathNot: isTest },
      to: { path: "^(control-plane|agent)/src/", pathNot: [...isRule, inRoom("agent", [agentPorts])] },
    },
    {
      name: "a store imports of the subjects rules and its own subject's stores alone",
      severity: "error",
      from: { path: `${subjects}.*${isStore}` },
      to: { path: subjects, pathNot: [...isRule, isStore] },
    },
    {
      name: "a subject imports no store of another subject",
      severity: "error",
      from: { path: subjects, pathNot: isTest },
      to: { path: `${subjects}.*${isStore}`, pathNot: "^control-plane/src/$1/" },
    },
    {
      name: "only the API's wiring imports routes",
      severity: "error",
      from: { path: subjects, pathNot: ["\\.routes\\.ts$", isTest] },
      to: { path: "\\.routes\\.ts$" },
    },
    {
      name: "a verb knows nothing of HTTP but types",
      severity: "error",
      from: { path: subjects, pathNot: ["\\.routes\\.ts$", "-schemas?\\.ts$", isTest] },
      to: { path: "^control-plane/src/platform/http/", pathNot: isStore, dependencyTypesNot: ["type-only"] },
    },
    ...background.map((path) => ({
      name: "only app.ts starts work in the background",
      severity: "error",
      from: { path: "^control-plane/src/", pathNot: [path, "^control-plane/src/app\\.ts$", isTest] },
      to: { path },
    })),
    { name: "no circles", severity: "error", from: {}, to: { circular: true } },
    { name: "every import resolves", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "shared/src/gen/" },
    parser: "swc",
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types", "node", "default"] },
  },
};
