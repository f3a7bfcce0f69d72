import { text as readAll } from "node:stream/consumers";
import { checkKey, parseServiceUrl } from "../api/access.ts";
import { answerOf, connect } from "../api/client.ts";
import { credentialsFile, readCredentials, writeCredentials } from "../api/credentials.ts";
import { wrongUse } from "../output/cli-error.ts";
import type { Invocation } from "../command-line/command.ts";
import type { Terminal } from "../output/terminal.ts";
import { askLine, askSecret } from "../output/ask.ts";

/** Asks for address and key, or takes the key from standard input; stores them once the service has accepted them. */
export async function login(invocation: Invocation): Promise<void> {
  const { flags, env, terminal } = invocation;
  const stored = await readCredentials(env);
  const url = parseServiceUrl(givenUrl(invocation) ?? (await askUrl(terminal, stored.current)));
  const key = checkKey(
    flags.text("key") ??
      (env["SVC_API_KEY"] || undefined) ??
      (terminal.canAsk ? await askSecret(terminal, "API key (not shown): ") : await readAll(terminal.stdin)),
  );
  const service = connect({ url, key }, (seconds) => terminal.note(`The service asks to wait ${seconds} s.`));
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

/** @throws CliError wrong_use where nobody can be asked */
async function askUrl(terminal: Terminal, known: string | undefined): Promise<string> {
  if (!terminal.canAsk) {
    throw wrongUse("The service's address is missing: svc login https://deploy.example.com < file-with-the-key");
  }
  const suggestion = known ?? "http://127.0.0.1:8080";
  return (await askLine(terminal, `Address of the service [${suggestion}]: `)) || suggestion;
}

/** Forgets the key of the service that is used. */
export async function logout({ flags, env, terminal }: Invocation): Promise<void> {
  const stored = await readCredentials(env);
  const given = flags.text("url");
  const url = given === undefined ? stored.current : parseServiceUrl(given);
  if (url === undefined || stored.keys[url] === undefined) throw wrongUse("There is no stored key to forget.");
  const keys = Object.fromEntries(Object.entries(stored.keys).filter(([one]) => one !== url));
  await writeCredentials(env, { current: stored.current === url ? Object.keys(keys)[0] : stored.current, keys });
  terminal.result({ url }, `Forgot the key of ${url}. It stays valid: whoever runs the service can revoke it.`);
}
