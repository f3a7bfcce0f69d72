const { agent, agentPorts, cli, controlPlane, shared } = require("./rooms.cjs");

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

module.exports = {
  forbidden: [
    ...neverToTheRight("shared", shared),
    ...neverToTheRight("control-plane", controlPlane),
    ...neverToTheRight("agent", agent),
    ...neverToTheRight("cli", cli),
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
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "shared/src/gen/" },
    parser: "swc",
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types", "node", "default"] },
  },
};
