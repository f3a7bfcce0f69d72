import { appUrl, internalCaFile, type Installation } from "./installation.ts";
import { say } from "./progress.ts";
import { SAMPLE, type Running } from "./up.ts";

/** The folders are root's; a quickstart that went through sudo has a reader who is not. */
const sudo = process.env.SUDO_USER === undefined ? "" : "sudo ";

/** What was set up and how to look at it; where the daemons go on running, also what to do next. */
export function closingWords(installation: Installation, running: Running, daemonsGoOn: boolean): void {
  sayWhereAppIs(installation);
  if (daemonsGoOn) sayHowToDeploy(installation, running);
  sayCommands(daemonsGoOn);
}

function sayWhereAppIs(installation: Installation): void {
  const app = appUrl(installation, SAMPLE);
  say(`
Your app     ${app}

Its certificate comes from an authority of this machine's own. Trust it for one request:

  ${sudo}curl --cacert ${internalCaFile(installation)} ${app}/api/visits`);
}

function sayHowToDeploy({ apiUrl }: Installation, { apiKey, git }: Running): void {
  say(`
The API      ${apiUrl}   (described at ${apiUrl}/api/openapi.json)
Your key     ${apiKey}

Deploy another sample, which is a git repository as well (static, express, dockerfile):

  export SVC_URL=${apiUrl} SVC_API_KEY=${apiKey}
  curl -H "Authorization: Bearer $SVC_API_KEY" -H 'Content-Type: application/json' \\
    -d '{"name": "static", "repo_url": "${git.repoUrl("static")}"}' $SVC_URL/api/apps
  curl -H "Authorization: Bearer $SVC_API_KEY" -X POST $SVC_URL/api/apps/static/deploy
  curl -H "Authorization: Bearer $SVC_API_KEY" "$SVC_URL/api/apps/static/deploys?limit=1"`);
}

function sayCommands(daemonsGoOn: boolean): void {
  const npm = `${sudo}npm`;
  const next = daemonsGoOn
    ? []
    : [`  ${npm} run quickstart                  run the API and the agent, with your key and what to do next`];
  const commands = [
    ...next,
    `  ${npm} run quickstart -- --detach      leave the daemons running; -- --down stops them`,
    `  ${npm} run quickstart -- --reset       remove all of it`,
    `  ${npm} run admin -- --help             users, keys, hosts`,
  ];
  say(`\nFurther commands:\n\n${commands.join("\n")}\n`);
}
