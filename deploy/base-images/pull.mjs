import { callEngine, readProgress } from "../setup/engine.mjs";
import { say } from "../setup/terminal.mjs";

/** A registry that can be reached sends something well within this; a firewall that drops packets never does. */
const SILENCE_MS_MAX = 20_000;

/**
 * @param {string} name with its tag
 * @returns {Promise<string | undefined>} why it could not be pulled; undefined when it was
 */
export async function pullImage(name) {
  say(`Pulling ${name} …`);
  const [image, tag] = name.split(":");
  const silence = new AbortController();
  const abort = () => silence.abort();
  let timer = setTimeout(abort, SILENCE_MS_MAX);
  try {
    const query = new URLSearchParams({ fromImage: image ?? "", tag: tag ?? "latest" });
    const answer = await callEngine("POST", `/images/create?${query}`, { signal: silence.signal });
    for await (const message of readProgress(answer)) {
      void message;
      clearTimeout(timer);
      timer = setTimeout(abort, SILENCE_MS_MAX);
    }
    return undefined;
  } catch (error) {
    if (silence.signal.aborted) return `the registry did not answer within ${SILENCE_MS_MAX / 1000} s`;
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}
