/** Is kept with each mail, and shown in the log. */
export type MailKind =
  | "invitation"
  | "join"
  | "account_exists"
  | "verify"
  | "reset"
  | "change_of_address"
  | "address_changed"
  | "new_sign_in"
  | "key_made"
  | "factor_changed"
  | "ways_stay"
  | "passkey_copied";

/** A mail without its recipient. The text says all that the HTML says. */
export interface Mail {
  kind: MailKind;
  /** One line. */
  subject: string;
  text: string;
  html: string;
}

/** A second factor that a person may turn on: codes of an authenticator app, or a passkey. */
export type Factor = "totp" | "passkey";

/** A paragraph, a link on a line of its own, or lines of a name and a value. */
type Block = string | { link: string } | { facts: Readonly<Record<string, string>> };

/** Longer names and addresses are cut: whoever chooses one must not be able to write a whole mail with it. */
const VALUE_LENGTH_MAX = 100;
/** A browser names itself in up to 200 characters. */
const DEVICE_LENGTH_MAX = 200;

const IF_NOT_YOU = "If it wasn't you, sign in, change your password and end all other sessions.";

/** The service's name in its mails: the host of {base_url}, without the port. */
export function serviceNameOf(baseUrl: string): string {
  return new URL(baseUrl).hostname;
}

/** Somebody who has an account, or not yet, may join a team. @param mail.link an address; it works once */
export function invitationMail(mail: {
  service: string;
  link: string;
  teamName: string;
  inviter: string;
  expiresAt: Date;
}): Mail {
  const { service, link, expiresAt } = mail;
  const team = `"${oneLine(mail.teamName)}"`;
  const inviter = oneLine(mail.inviter);
  return compose("invitation", `Join the team ${team} on ${service}`, [
    `${inviter} invites you to join the team ${team} on ${service}. To accept, open this link:`,
    { link },
    `The link works once, until ${utc(expiresAt)}. If you don't know ${inviter}, ignore this mail.`,
  ]);
}

/** Somebody was invited by the operator, or has asked for an account themselves; they set a password with the link. */
export function joinMail({ service, link, expiresAt }: { service: string; link: string; expiresAt: Date }): Mail {
  return compose("join", `Your account on ${service}`, [
    `You can have an account on ${service}. To make it, or to set its password, open this link:`,
    { link },
    `The link works once, until ${utc(expiresAt)}.`,
  ]);
}

/** Somebody asked for an account with an address that has one; the link leads to the sign-in. */
export function accountExistsMail({ service, link }: { service: string; link: string }): Mail {
  return compose("account_exists", `You have an account on ${service}`, [
    `Somebody, probably you, asked for an account on ${service} with this e-mail address, which has one already. To sign in, open this link:`,
    { link },
    "If it wasn't you, ignore this mail: nothing was changed.",
  ]);
}

/** Proves that an address belongs to the person who gave it. */
export function verifyMail({ service, link }: { service: string; link: string }): Mail {
  return compose("verify", `Confirm your e-mail address for ${service}`, [
    `Somebody, probably you, gave this e-mail address for an account on ${service}. To confirm that it is yours, open this link:`,
    { link },
    "If it wasn't you, ignore this mail: the address stays unconfirmed.",
  ]);
}

export function resetMail({ service, link }: { service: string; link: string }): Mail {
  return compose("reset", `Reset your password on ${service}`, [
    `Somebody, probably you, asked for a new password for your account on ${service}. To choose one, open this link:`,
    { link },
    "If it wasn't you, ignore this mail: your password stays as it is.",
  ]);
}

/** Goes to the new address, which takes the place of the old one when the link is opened. */
export function changeOfAddressMail(mail: { service: string; oldAddress: string; link: string }): Mail {
  const { service, link } = mail;
  return compose("change_of_address", `Confirm the new e-mail address of your account on ${service}`, [
    `Somebody, probably you, wants to use this e-mail address for the account of ${oneLine(mail.oldAddress)} on ${service}. To confirm it, open this link:`,
    { link },
    "If it wasn't you, ignore this mail: nothing is changed.",
  ]);
}

/** The same mail goes to both addresses. */
export function addressChangedMail(mail: { service: string; oldAddress: string; newAddress: string }): Mail {
  const { service } = mail;
  return compose("address_changed", `The e-mail address of your account on ${service} was changed`, [
    `The e-mail address of your account on ${service} was changed from ${oneLine(mail.oldAddress)} to ${oneLine(mail.newAddress)}.`,
    `If it wasn't you, ask the operator of ${service} for help at once.`,
  ]);
}

/** @param mail.address the IP address that the sign-in came from @param mail.device such as the browser's own name */
export function newSignInMail(mail: { service: string; at: Date; address: string; device: string }): Mail {
  const { service, at, address, device } = mail;
  return compose("new_sign_in", `New sign-in to your account on ${service}`, [
    `Somebody signed in to your account on ${service}.`,
    { facts: { Time: utc(at), Address: oneLine(address), Device: oneLine(device, DEVICE_LENGTH_MAX) } },
    IF_NOT_YOU,
  ]);
}

/** @param mail.prefix what the key begins with; never the key */
export function keyMadeMail({ service, name, prefix }: { service: string; name: string; prefix: string }): Mail {
  return compose("key_made", `New API key for your account on ${service}`, [
    `An API key was made for your account on ${service}.`,
    { facts: { Name: oneLine(name), "Begins with": oneLine(prefix) } },
    `${IF_NOT_YOU} Revoke the key.`,
  ]);
}

/** @param mail.name of the passkey */
export function factorChangedMail(mail: { service: string; factor: Factor; isOn: boolean; name?: string }): Mail {
  const { service, factor, isOn, name } = mail;
  const change = {
    totp: isOn ? "Codes of an authenticator app were turned on" : "Codes of an authenticator app were turned off",
    passkey: isOn ? "A passkey was added" : "A passkey was removed",
  }[factor];
  return compose("factor_changed", `${change} for your account on ${service}`, [
    `${change} for your account on ${service}.`,
    ...(name === undefined ? [] : [{ facts: { Name: oneLine(name) } }]),
    factor === "passkey" && isOn ? `${IF_NOT_YOU} Remove the passkey.` : IF_NOT_YOU,
  ]);
}

/** Goes to somebody whose password was reset. @param mail.passkeys names of all of them @param mail.providers names of all that are connected */
export function waysStayMail(mail: {
  service: string;
  passkeys: readonly string[];
  providers: readonly string[];
}): Mail {
  const { service, passkeys, providers } = mail;
  const facts = (kind: string, names: readonly string[]) =>
    names.map((name, index) => [`${kind} ${index + 1}`, oneLine(name)] as const);
  return compose("ways_stay", `The password of your account on ${service} was reset`, [
    `The password of your account on ${service} was reset, and all sessions were ended. These can still sign in:`,
    { facts: Object.fromEntries([...facts("Passkey", passkeys), ...facts("Provider", providers)]) },
    "If you don't know one of them, sign in and remove it on the page Profile.",
  ]);
}

/** @param mail.address the IP address that the sign-in came from @param mail.name of the passkey */
export function passkeyCopiedMail(mail: { service: string; at: Date; address: string; name: string }): Mail {
  const { service, at, address, name } = mail;
  return compose("passkey_copied", `A passkey of your account on ${service} may have been copied`, [
    `A sign-in to your account on ${service} was refused: its passkey had counted fewer uses than the service. That happens when a passkey was copied, and the copy was used.`,
    { facts: { Passkey: oneLine(name), Time: utc(at), Address: oneLine(address) } },
    "Sign in in another way, remove this passkey on the page Profile, and end all sessions that you don't know.",
  ]);
}

/** @param mail.provider the name of one that signs people in */
export function providerChangedMail(mail: { service: string; provider: string; isOn: boolean }): Mail {
  const { service } = mail;
  const change = `${oneLine(mail.provider)} was ${mail.isOn ? "connected to" : "disconnected from"} your account on ${service}`;
  return compose("factor_changed", change, [
    mail.isOn ? `${change}: who signs in there is signed in here.` : `${change}. It signs nobody in here any more.`,
    IF_NOT_YOU,
  ]);
}

/** @throws Error for a link that is no http:// or https:// address */
function compose(kind: MailKind, subject: string, blocks: readonly Block[]): Mail {
  const html = blocks.map((block) => `<p>${htmlOf(block)}</p>\n`).join("");
  return {
    kind,
    subject,
    text: blocks.map((block) => `${textOf(block)}\n`).join("\n"),
    html: `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>\n<body>\n${html}</body>\n</html>\n`,
  };
}

function textOf(block: Block): string {
  if (typeof block === "string") return block;
  return "link" in block ? checkedLink(block.link) : linesOf(block.facts).join("\n");
}

function htmlOf(block: Block): string {
  if (typeof block === "string") return escapeHtml(block);
  if ("facts" in block) return linesOf(block.facts).map(escapeHtml).join("<br>\n");
  const link = escapeHtml(checkedLink(block.link));
  return `<a href="${link}">${link}</a>`;
}

function linesOf(facts: Readonly<Record<string, string>>): string[] {
  return Object.entries(facts).map(([name, value]) => `${name}: ${value}`);
}

/** The links are ours. The message doesn't quote one, since it is a secret. */
function checkedLink(link: string): string {
  if (!/^https?:\/\/[\x21-\x7e]+$/.test(link))
    throw new Error("the link of a mail is not an http:// or https:// address");
  return link;
}

/**
 * A value that others chose, as a mail may show it: on one line, cut, and without the characters that turn the direction of
 * what follows them.
 */
function oneLine(value: string, lengthMax = VALUE_LENGTH_MAX): string {
  const line = value
    .toWellFormed()
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, " ")
    .trim();
  const characters = [...line];
  return characters.length > lengthMax ? `${characters.slice(0, lengthMax - 1).join("")}…` : line;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** Such as `2026-03-01 12:00 UTC`: the reader's own zone isn't known. */
function utc(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
