import { hostname } from "node:os";
import { text as readAll } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { checkKey, parseServiceUrl } from "../../api/access.ts";
import { answerOf, connect } from "../../api/client.ts";
import { credentialsFile, readCredentials, writeCredentials } from "../../api/credentials.ts";
import { deviceFlow } from "../../api/device-flow.ts";
import { CliError, EXIT, wrongUse } from "../../output/cli-error.ts";
import type { Invocation } from "../../command-line/command.ts";
import type { Terminal } from "../../output/terminal.ts";
import { askLine } from "../../output/ask.ts";
import { openBrowser } from "../../output/open-browser.ts";
import { waitForKey } from "./wait-for-key.ts";

/** Gets a key in the browser, or takes the one that is given or piped; stores it once the service has accepted it. */
export async function login(invocation: Invocation): Promise<void> {
  const { env, terminal } = invocation;
  const stored = await readCredentials(env);
  const url = parseServiceUrl(givenUrl(invocation) ?? (await askUrl(terminal, stored.current)));
  const key = checkKey((await givenKey(invocation)) ?? (await approvedKey(invocation, url)));
  const service = connect({ url, key }, waitNote(terminal));
  const { apps } = await answerOf(service, service.rest.GET("/api/apps", { params: { query: { limit: 1 } } }));
  await writeCredentials(env, { current: url, keys: { ...stored.keys, [url]: key } });
  if (url.startsWith("http://") && !/^http:\/\/(localhost|127\.|\[::1\])/.test(url)) {
    terminal.note("Note: over http:// everybody on the way can read the key. Use the service's https:// address.");
  }
  const next = apps.length === 0 ? "`svc init` begins an app." : "`svc apps` lists your apps.";
  terminal.result({ url, file: credentialsFile(env) }, `Logged in to ${url}. ${next}`);
}

function givenUrl({ args, flags, env }: Invocation): string | undefined {
  return args[0] ?? flags.text("url") ?? (env["SVC_URL"] || undefined);
}

/** The key of --key, SVC_API_KEY or standard input; undefined where a person can approve the login instead. */
async function givenKey({ flags, env, terminal }: Invocation): Promise<string | undefined> {
  const given = flags.text("key") ?? (env["SVC_API_KEY"] || undefined);
  if (given === undefined && terminal.canAsk) return undefined;
  if (flags.text("team") !== undefined) {
    throw wrongUse("--team is for the login in the browser: a key that is given, or piped, has its team already.");
  }
  return given ?? readAll(terminal.stdin);
}

function waitNote(terminal: Terminal): (seconds: number) => void {
  return (seconds) => terminal.note(`The service asks to wait ${seconds} s.`);
}

/** Shows a code, and waits until somebody who is signed in has approved it. @throws CliError */
async function approvedKey({ flags, env, terminal }: Invocation, url: string): Promise<string> {
  const flow = deviceFlow(url, waitNote(terminal));
  const code = await flow.begin({ deviceName: hostname().slice(0, 100), team: flags.text("team") });
  terminal.note(`Open ${code.verificationUri} and enter the code:\n\n    ${code.userCode}\n`);
  // Over SSH, the browser of that machine is not the one that the person sees.
  const isRemote = Boolean(env["SSH_CONNECTION"] || env["SSH_TTY"]);
  const isOpened = !isRemote && openBrowser(terminal, env, code.verificationUriComplete);
  terminal.note(
    isOpened
      ? "The browser opens that page. svc waits for your answer there; Ctrl-C leaves."
      : `Or open ${code.verificationUriComplete}\nsvc waits for your answer there; Ctrl-C leaves.`,
  );

  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  process.once("SIGINT", leave);
  try {
    const { signal } = leaving;
    const { key } = await waitForKey(() => flow.poll(code.deviceCode, signal), code, {
      pause: (ms) => delay(ms, undefined, { signal }),
      now: () => performance.now(),
    });
    return key;
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
    throw new CliError("interrupted", "The login was left: nothing was stored.", EXIT.interrupted);
  } finally {
    process.off("SIGINT", leave);
  }
}

/** @throws CliError wrong_use where nobody can be asked */
async function askUrl(terminal: Terminal, known: string | undefined): Promise<string> {
  if (!terminal.canAsk) {
    throw wrongUse("The service's address is missing: svc login https://deploy.example.com < file-with-the-key");
  }
  const suggestion = known ?? "http://127.0.0.1:8080";
  return (await askLine(terminal, `Address of the service [${suggestion}]: `)) || suggestion;
}

/** Revokes the stored key of the service that is used, and forgets it in any case. */
export async function logout({ flags, env, terminal }: Invocation): Promise<void> {
  const stored = await readCredentials(env);
  const given = flags.text("url");
  const url = given === undefined ? stored.current : parseServiceUrl(given);
  const key = url === undefined ? undefined : stored.keys[url];
  if (url === undefined || key === undefined) throw wrongUse("There is no stored key to forget.");
  const revoked = await deviceFlow(url, waitNote(terminal))
    .revoke(key)
    .catch((error: unknown) => {
      if (!(error instanceof CliError)) throw error;
      terminal.note(error.message);
      return false;
    });
  const keys = Object.fromEntries(Object.entries(stored.keys).filter(([one]) => one !== url));
  await writeCredentials(env, { current: stored.current === url ? Object.keys(keys)[0] : stored.current, keys });
  const end = revoked
    ? "It is revoked: nobody can use it any more."
    : "It could not be revoked, and stays valid: revoke it in the service's settings.";
  terminal.result({ url, revoked }, `Forgot the key of ${url}. ${end}`);
}
