import { readFileSync } from "node:fs";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * The Docker Engine's HTTP API, as far as the setup needs it. Only the engine's own answer tells that there is one: a
 * `docker` client may be on PATH without any.
 */

/** A line of the engine's progress longer than this is not a message of its own. */
const LINE_CHARACTERS_MAX = 1024 * 1024;

export class EngineError extends Error {
  /** @override */
  name = "EngineError";
}

/**
 * Where the engine is, as request options; the paths carry no API version, so the engine's newest is used.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ socketPath: string } | { secure: boolean, host: string, port: string, ca?: Buffer, cert?: Buffer, key?: Buffer }}
 */
export function engineAddress(env = process.env) {
  const address = env.DOCKER_HOST || "unix:///var/run/docker.sock";
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === "unix:") return { socketPath: decodeURIComponent(url.pathname) };
  if (url?.protocol !== "tcp:")
    throw new EngineError(`DOCKER_HOST is ${JSON.stringify(address)}; allowed is unix://PATH or tcp://HOST:PORT.`);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (!env.DOCKER_TLS_VERIFY) return { secure: false, host, port: url.port || "2375" };
  const folder = env.DOCKER_CERT_PATH || join(homedir(), ".docker");
  const pem = (/** @type {string} */ name) => readFileSync(join(folder, `${name}.pem`));
  return { secure: true, host, port: url.port || "2376", ca: pem("ca"), cert: pem("cert"), key: pem("key") };
}

/**
 * @param {"GET" | "POST" | "DELETE"} method
 * @param {string} path
 * @param {{ body?: import("node:stream").Readable, signal?: AbortSignal }} [options]
 * @returns {Promise<import("node:http").IncomingMessage>} the answer, whose status is below 400
 * @throws {EngineError} what the engine answered, or why it did not
 */
export async function callEngine(method, path, { body, signal } = {}) {
  const address = engineAddress();
  const send = "secure" in address && address.secure ? requestHttps : requestHttp;
  const headers = body === undefined ? {} : { "content-type": "application/x-tar" };
  /** @type {import("node:http").IncomingMessage} */
  const answer = await new Promise((resolve, reject) => {
    const request = send({ ...address, method, path, headers, signal, agent: false });
    request.once("response", resolve);
    request.once("error", (error) =>
      reject(new EngineError(`the engine does not answer (${error.message})`, { cause: error })),
    );
    if (body === undefined) request.end();
    else body.once("error", (error) => request.destroy(error)).pipe(request);
  });
  if ((answer.statusCode ?? 500) < 400) return answer;
  const text = await readText(answer);
  throw new EngineError(messageOf(text) ?? `the engine answered ${answer.statusCode}`);
}

/**
 * @param {string} path
 * @returns {Promise<unknown>} undefined when the engine knows nothing of that name
 */
export async function readEngine(path) {
  try {
    return JSON.parse(await readText(await callEngine("GET", path)));
  } catch (error) {
    if (error instanceof EngineError && /no such/i.test(error.message)) return undefined;
    throw error;
  }
}

/** The engine's version when one answers within two seconds, else why none does. */
export async function probeEngine() {
  try {
    const answer = await callEngine("GET", "/version", { signal: AbortSignal.timeout(2000) });
    /** @type {{ Version: string }} */
    const { Version } = JSON.parse(await readText(answer));
    return { answers: /** @type {const} */ (true), version: Version };
  } catch (error) {
    const cause = error instanceof EngineError && error.cause instanceof Error ? error.cause : error;
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    return {
      answers: /** @type {const} */ (false),
      code,
      reason: error instanceof Error ? error.message : String(error),
    };
  }
}

/**
 * The engine's progress messages, one by one.
 *
 * @param {import("node:http").IncomingMessage} answer
 * @returns {AsyncGenerator<EngineMessage>}
 * @throws {EngineError} the failure that the engine reports among them
 *
 * @typedef {{ stream?: string, status?: string, error?: string, progressDetail?: { current?: number, total?: number } }} EngineMessage
 */
export async function* readProgress(answer) {
  let rest = "";
  for await (const chunk of answer.setEncoding("utf8")) {
    const lines = (rest + chunk).split("\n");
    rest = (lines.pop() ?? "").slice(-LINE_CHARACTERS_MAX);
    for (const line of lines) if (line.trim() !== "") yield check(JSON.parse(line));
  }
  if (rest.trim() !== "") yield check(JSON.parse(rest));
}

/** @param {EngineMessage} message */
function check(message) {
  if (message.error !== undefined) throw new EngineError(message.error);
  return message;
}

/** @param {import("node:http").IncomingMessage} answer */
async function readText(answer) {
  let text = "";
  for await (const chunk of answer.setEncoding("utf8")) text += chunk;
  return text;
}

/** @param {string} text */
function messageOf(text) {
  try {
    return /** @type {{ message?: string }} */ (JSON.parse(text)).message;
  } catch {
    return undefined;
  }
}
