import type { Activity } from "../../client/answers.ts";
import { reasonText } from "../app-state.ts";
import { shortCommit } from "../deploy-state.ts";

/** Who did it, in words. */
export function actorText({ actor, email, key_name }: Pick<Activity, "actor" | "email" | "key_name">): string {
  if (actor === "system") return "the platform";
  if (actor === "operator") return "an operator";
  const person = email === null || email.endsWith("@deleted.invalid") ? "a deleted account" : email;
  return actor.startsWith("key:") ? `${person} with the key ${key_name ?? "that is gone"}` : person;
}

type Words = (of: { app: string; name: string; detail: Activity["detail"] }) => string;

/** A property of an entry as text; what is none is left out. */
function said(value: unknown, before = ""): string {
  if (Array.isArray(value)) return value.length === 0 ? "" : before + value.map((each) => said(each)).join(", ");
  return typeof value === "string" || typeof value === "number" ? `${before}${value}` : "";
}

/** The release of a rollback is named for the rollback's id, which tells a person nothing. */
function saidRelease(release: unknown, before: string): string {
  return String(release).startsWith("rollback:") ? "" : said(release, before);
}

/** A whole commit is shortened; a branch or a tag stays. */
function saidRef(ref: unknown, before: string): string {
  return typeof ref === "string" && /^[0-9a-f]{40}$/.test(ref) ? before + shortCommit(ref) : said(ref, before);
}

const WORDS: Readonly<Record<string, Words>> = {
  "app.create": ({ app }) => `made the app ${app}`,
  "app.patch": ({ app, detail }) => `changed the app ${app}${said(detail["changed"], ": ")}`,
  "app.start": ({ app }) => `started ${app}`,
  "app.stop": ({ app, detail }) => `stopped ${app}${said(detail["detail"], ": ")}`,
  "app.restart": ({ app }) => `restarted ${app}`,
  "app.soft_stop": ({ app }) => `deleted ${app}; it can be brought back`,
  "app.purge": ({ app }) => `deleted ${app} for ever`,
  "app.unhealthy": ({ app, detail }) => `${app} became unhealthy${said(reasonText(detail["reason"]), ": ")}`,
  "app.recovered": ({ app }) => `${app} recovered`,
  "app.hand_over": ({ app }) => `handed ${app} to another team`,
  "app.receive": ({ app }) => `brought ${app} from another team`,
  "deploy.start": ({ app, detail }) =>
    `deployed ${app}${said(detail["release"], ", ")}${saidRef(detail["ref"], " from ")}`,
  "deploy.cancel": ({ app }) => `canceled a deploy of ${app}`,
  "deploy.success": ({ app, detail }) => `completed the deploy of ${app}${said(detail["release"], ", ")}`,
  "deploy.failed": ({ app, detail }) => `ended the deploy of ${app}${said(detail["release"], ", ")}: it failed`,
  "deploy.canceled": ({ app, detail }) => `ended the deploy of ${app}${said(detail["release"], ", ")}: it was canceled`,
  "rollback.success": ({ app, detail }) => `completed the rollback of ${app}${saidRelease(detail["release"], " to ")}`,
  "rollback.failed": ({ app, detail }) =>
    `ended the rollback of ${app}${saidRelease(detail["release"], " to ")}: it failed`,
  "rollback.canceled": ({ app, detail }) =>
    `ended the rollback of ${app}${saidRelease(detail["release"], " to ")}: it was canceled`,
  "rollback.start": ({ app, detail }) => `rolled ${app} back${saidRelease(detail["release"], " to ")}`,
  "move.start": ({ app }) => `moved ${app} to another server`,
  "move.cancel": ({ app }) => `gave up the move of ${app}`,
  "move.success": ({ app }) => `completed the move of ${app}`,
  "move.failed": ({ app }) => `ended the move of ${app}: it failed`,
  "move.canceled": ({ app }) => `ended the move of ${app}: it was canceled`,
  "rollback.automatic": ({ app }) => `took back a release of ${app} that failed`,
  "env.read": ({ app }) => `read the variables of ${app} in clear`,
  "env.put": ({ app, detail: { keys, sealed } }) => {
    const [written, hidden] = [said(keys, ": "), said(sealed, ": ")];
    if (written === "" && hidden !== "") return `sealed variables of ${app}${hidden}`;
    return `set variables of ${app}${written}${hidden === "" ? "" : `; sealed${hidden}`}`;
  },
  "env.delete": ({ app, detail }) => `deleted a variable of ${app}${said(detail["key"], ": ")}`,
  "domain.add": ({ app, detail }) => `gave ${app} the domain ${said(detail["domain"])}`,
  "domain.remove": ({ app, detail }) => `took the domain ${said(detail["domain"])} from ${app}`,
  "domain.lost": ({ app, detail }) =>
    `took the domain ${said(detail["domain"])} from ${app}: its owner has proven it elsewhere`,
  "webhook.create": ({ app, detail }) => `made a webhook of ${app}${said(detail["hostname"], " to ")}`,
  "webhook.delete": ({ app }) => `deleted a webhook of ${app}`,
  "webhook.redeliver": () => "sent a webhook again",
  "deploy_key.create": ({ app }) => `made a deploy key of ${app}`,
  "deploy_key.delete": ({ app }) => `deleted the deploy key of ${app}`,
  "repository.create": ({ name }) => `made the repository ${name}`,
  "repository.delete": ({ name }) => `deleted the repository ${name}`,
  "repository.push": ({ name }) => `pushed to ${name}`,
  "card.do": ({ detail }) => `agreed in the chat to ${said(detail["sentence"])}`,
  "card.leave": ({ detail }) => `decided in the chat not to ${said(detail["sentence"])}`,
  "key.create": ({ detail }) => (detail["name"] ? `made the API key ${said(detail["name"])}` : "made an API key"),
  "key.revoke": ({ detail }) => (detail["name"] ? `revoked the API key ${said(detail["name"])}` : "revoked an API key"),
  "device.approve": () => "let a device act for them",
  "device.deny": () => "refused a device",
  "client.allow": ({ detail }) => `let a program act for them${said(detail["name"], ", by its own name ")}`,
  "client.refuse": ({ detail }) => `refused a program${said(detail["name"], ", by its own name ")}`,
  "member.join": ({ detail }) => `joined the team as ${said(detail["role"])}`,
  "member.leave": () => "left the team",
  "member.remove": () => "took a member out of the team",
  "member.role": ({ detail }) => `gave a member the role ${said(detail["role"])}${said(detail["former"], ", before ")}`,
  "invitation.create": ({ detail }) => `invited ${said(detail["email"])} as ${said(detail["role"])}`,
  "invitation.delete": () => "took an invitation back",
  "team.create": ({ name }) => `made the team ${name}`,
  "team.rename": ({ detail }) => `named the team ${said(detail["name"])}`,
  "team.delete": ({ detail }) => `deleted the team ${said(detail["name"])}`,
  "team.tier": ({ name, detail }) => `moved the team ${name} to the tier ${said(detail["tier"])}`,
  "team.pools": ({ name, detail }) =>
    `gave the team ${said(detail["team"]) || name} the pools: ${said(detail["pools"]) || "default alone"}`,
  "user.tier": ({ name, detail }) => `moved ${name} to the tier ${said(detail["tier"])}`,
  "user.create": ({ name }) => `added the user ${name}`,
  "user.invite": ({ name }) => `invited ${name}`,
  "user.verify": ({ name }) => `confirmed the address of ${name}`,
  "user.join": () => "joined",
  "user.sign_up": () => "signed up",
  "user.ask_address": () => "asked for another e-mail address",
  "user.ask_reset": () => "asked for a new password",
  "user.ask_verification": () => "asked for the mail that confirms the address",
  "user.change_address": () => "changed the e-mail address",
  "user.change_password": () => "changed the password",
  "user.reset_password": () => "set a new password by mail",
  "user.delete": () => "deleted the account",
  "session.create": ({ detail }) => `signed in${said(detail["address"], " at ")}`,
  "session.challenge": ({ detail }) => `gave the password, and was asked for a code${said(detail["address"], " at ")}`,
  "session.end": () => "ended a session",
  "session.end_others": ({ detail }) => `ended all other sessions${said(detail["ended"], ": ")}`,
  "second_factor.begin": () => "began to set up a second factor",
  "second_factor.confirm": () => "turned the second factor on",
  "second_factor.remove": () => "turned the second factor off",
  "passkey.begin": () => "began to add a passkey",
  "passkey.create": () => "added a passkey",
  "passkey.rename": () => "renamed a passkey",
  "passkey.remove": () => "removed a passkey",
  "passkey.refuse": () => "was refused with a passkey that seems to be copied",
  "provider.connect": ({ detail }) => `connected a sign-in${said(detail["issuer"], " at ")}`,
  "provider.disconnect": ({ detail }) => `disconnected a sign-in${said(detail["issuer"], " at ")}`,
  "server.token": ({ name }) => `made a join token for ${name}`,
  "server.rejoin_token": ({ name }) => `made a token with which the host of ${name} joins again`,
  "server.join": ({ name }) => `let ${name} join`,
  "server.rejoin": ({ name }) => `let the host of ${name} join again`,
  "server.drain": ({ name }) => `drained ${name}`,
  "server.undrain": ({ name }) => `let ${name} take new apps again`,
  "server.evacuate": ({ name }) => `let the apps on ${name} move to other servers`,
  "server.upgrade": ({ name }) => `began to upgrade the agent of ${name}`,
  "server.set": ({ name }) => `changed the settings of ${name}`,
  "server.remove": ({ name }) => `removed the server ${name}`,
  "operator.grant": ({ name }) => `made ${name} an operator`,
  "operator.revoke": ({ name }) => `took the mark of an operator from ${name}`,
  "operator.certificate": () => "made a certificate that reads agents",
  "secrets.rotate": () => "sealed all secrets with a new key",
};

/** Says what was done; an action that this version has no words for is named as it is. */
export function activityText({ action, target, target_name, detail }: Activity): string {
  const words = Object.hasOwn(WORDS, action) ? WORDS[action] : undefined;
  const name = said(detail["name"]) || target_name || "that is gone";
  const app = said(detail["app"]) || (target_name ?? said(detail["name"])) || "an app that is gone";
  return words?.({ app, name, detail }) ?? `${action} (${target_name ?? target})`;
}
