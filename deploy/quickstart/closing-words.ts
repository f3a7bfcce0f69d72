import { repositoryRoot } from "../setup/dependencies.mjs";
import { appUrl, internalCaFile, type Installation } from "./installation.ts";
import { say } from "./progress.ts";
import { SAMPLE, type Running } from "./up.ts";

const OTHER_SAMPLES = ["express", "static", "dockerfile"];

/** Tells what the daemons do after the words: they end, run while the terminal is there, or go on. */
export type Mode = "once" | "foreground" | "detached";

/** Says what was set up and how to look at it; where the daemons go on running, also what to do next. */
export function closingWords(installation: Installation, running: Running, mode: Mode): void {
  sayWhereAppIs(installation);
  if (mode !== "once") sayHowToDeploy(installation, running);
  say(`\nFurther commands:\n\n${commands(installation, mode).join("\n")}\n`);
}

function sayWhereAppIs(installation: Installation): void {
  const app = appUrl(installation, SAMPLE);
  say(`
Your app     ${app}

Its certificate comes from an authority of this machine's own. Trust it for one request:

  ${installation.sudo}curl --cacert ${internalCaFile(installation)} ${app}/api/visits`);
}

function sayHowToDeploy({ apiUrl }: Installation, { apiKey, page, git }: Running): void {
  const svc = `npm --silent --prefix ${quoted(repositoryRoot)} run svc`;
  say(`
The API      ${apiUrl}   (described at ${apiUrl}/api/docs)
Your key     ${apiKey}
Your page    ${page}

More samples, each a git repository:

${OTHER_SAMPLES.map((sample) => `  ${git.repoUrl(sample)}`).join("\n")}

Deploy one of them:

  export SVC_URL=${apiUrl} SVC_API_KEY=${apiKey}
  curl -H "Authorization: Bearer $SVC_API_KEY" -H 'Content-Type: application/json' \\
    -d '{"name": "static", "repo_url": "${git.repoUrl("static")}"}' $SVC_URL/api/apps
  curl -H "Authorization: Bearer $SVC_API_KEY" -X POST $SVC_URL/api/apps/static/deploy
  curl -H "Authorization: Bearer $SVC_API_KEY" "$SVC_URL/api/apps/static/deploys?limit=1"

Deploy a folder of your own, from within it and with the same variables (README, "Deploy with svc"):

  ${svc} -- up`);
}

/** Lists the commands to run next, with the variables that lead to this installation. */
export function commands(
  installation: Pick<Installation, "sudo" | "variables" | "hasOwnDatabase" | "dataDirectory" | "controlPlaneDirectory">,
  mode: Mode,
): string[] {
  const { variables, dataDirectory, controlPlaneDirectory } = installation;
  // The variable as the shell has it: it may hold a password.
  const sudo = `${installation.sudo}${installation.hasOwnDatabase ? 'DATABASE_URL="$DATABASE_URL" ' : ""}`;
  const hasOwnFolder = "SVC_DATA_DIR" in variables;
  const quickstart = `${sudo}${assignments({ ...variables, ...(hasOwnFolder && { SVC_DATA_DIR: dataDirectory }) })}npm run quickstart`;
  // The operator's commands work on the control plane's own folder.
  const admin = `${sudo}${hasOwnFolder ? assignments({ SVC_DATA_DIR: controlPlaneDirectory }) : ""}npm run admin`;
  const detach = { command: `${quickstart} -- --detach`, what: "leave the daemons running; -- --down stops them" };
  const next = {
    once: [{ command: quickstart, what: "run the API and the agent, with your key and what to do next" }, detach],
    foreground: [detach],
    detached: [{ command: `${quickstart} -- --down`, what: "stop the daemons; the apps go on" }],
  }[mode];
  const lines = [
    ...next,
    { command: `${quickstart} -- --reset`, what: "remove all of it" },
    { command: `${admin} -- --help`, what: "users, keys, hosts" },
  ];
  const width = Math.max(...lines.map(({ command }) => command.length));
  return lines.map(({ command, what }) => `  ${command.padEnd(width)}   ${what}`);
}

/** `NAME=value ` for each, as a shell takes it. */
function assignments(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${quoted(value)} `)
    .join("");
}

/** Quotes a text so that a shell takes it for one word. */
function quoted(value: string): string {
  return /^[\w./:,@-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
