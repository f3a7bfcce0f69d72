import { appUrl, internalCaFile, type Installation } from "./installation.ts";
import { say } from "./progress.ts";
import { SAMPLE, type Running } from "./up.ts";

/** What was set up, how to look at it, and what to do next. */
export function closingWords(installation: Installation, { apiKey, git }: Running): void {
  const app = appUrl(installation, SAMPLE);
  const npm = process.env.SUDO_USER === undefined ? "npm" : "sudo npm";
  say(`
Your app     ${app}
The API      ${installation.apiUrl}   (described at ${installation.apiUrl}/api/openapi.json)
Your key     ${apiKey}

The apps' certificates come from an authority of this machine's own. Trust it for one request:

  curl --cacert ${internalCaFile(installation)} ${app}/api/visits

Deploy another sample, which is a git repository as well (static, express, dockerfile):

  export SVC_API_KEY=${apiKey}
  curl -H "Authorization: Bearer $SVC_API_KEY" -H 'Content-Type: application/json' \\
    -d '{"name": "static", "repo_url": "${git.repoUrl("static")}"}' ${installation.apiUrl}/api/apps
  curl -H "Authorization: Bearer $SVC_API_KEY" -X POST ${installation.apiUrl}/api/apps/static/deploy
  curl -H "Authorization: Bearer $SVC_API_KEY" '${installation.apiUrl}/api/apps/static/deploys?limit=1'

And further:

  ${npm} run admin -- server list        the hosts
  ${npm} run admin -- --help             users, keys, hosts
  ${npm} run quickstart -- --detach      leave the daemons running; -- --down stops them
  ${npm} run quickstart -- --reset       remove all of it
`);
}
