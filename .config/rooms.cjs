/**
 * The rooms of each workspace: a file imports from its own room and from those to its left, never to its right. A room
 * holds one subject. A file in no room fails `npm run check`, and so does a room that is not there.
 */
const shared = [["errors.ts", "gen"], ["rules"], ["platform"], ["redaction"], ["net"], ["spec"], ["frameworks"]];

const controlPlane = [
  ["ports.ts"],
  ["platform"],
  ["secrets"],
  ["accounts"],
  ["fleet", "apps", "webhooks", "domains", "repositories", "deploys"],
  ["api"],
  ["config.ts"],
  ["admin"],
  ["app.ts"],
  ["main.ts"],
];

const agent = [
  ["platform"],
  ["engine"],
  ["runner"],
  ["source"],
  ["build"],
  ["database"],
  ["edge"],
  ["bounds"],
  ["apps"],
  ["steps"],
  ["probation"],
  ["config.ts"],
  ["host"],
  ["link"],
  ["dummy"],
  ["app.ts"],
  ["main.ts"],
];

/** Types alone, which speak of the rooms' rules; every room may import them. */
const agentPorts = "ports.ts";

const cli = [
  ["runtime", "gen"],
  ["output"],
  ["command-line"],
  ["api"],
  ["secrets"],
  ["project"],
  ["deploy"],
  ["commands"],
  ["dispatch"],
  ["main.ts"],
];

module.exports = { agent, agentPorts, cli, controlPlane, shared };
