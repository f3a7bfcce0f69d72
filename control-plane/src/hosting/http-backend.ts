import { spawn, type ChildProcess, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { finished } from "node:stream/promises";
import type { Readable, Writable } from "node:stream";
import { SvcError } from "@svc/shared/errors.ts";
import { readCgiHead } from "./cgi.ts";
import { gitEnvironment, PUSH_BYTES_MAX } from "./git-environment.ts";
import { takeGitPlace } from "./git-places.ts";

/** What git's smart protocol asks for over HTTP. */
export type GitService = "git-upload-pack" | "git-receive-pack";

export interface BackendRequest {
  /** Folder of the repositories. */
  root: string;
  repositoryId: string;
  /** Who asks; undefined for a deploy. */
  userId: string | undefined;
  service: GitService;
  /** Of the two requests of an exchange, the first, which lists the refs. */
  advertises: boolean;
  request: Request;
  /** Runs once git has ended, however it ended, before the answer does. */
  onEnd: () => Promise<void>;
}

/** A push or clone of the largest repository over a slow line; what takes longer hangs. */
export const GIT_MS_MAX = 10 * 60_000;

/** git removes within this what it has half received; then it is killed. */
const TERM_MS = 3_000;
const GROUP_POLL_MS = 20;

/**
 * Answers with git's own `http-backend`, streaming in both directions at the pace of the slower side.
 * @throws SvcError rate_limited, payload_too_large, internal
 */
export async function serveGit(backend: BackendRequest): Promise<Response> {
  if (Number(backend.request.headers.get("Content-Length") ?? 0) > PUSH_BYTES_MAX) throw tooLarge();
  const leave = takeGitPlace(backend.userId);
  const child = startBackend(backend);
  if (!child) {
    leave();
    throw new SvcError("internal", "git can't be started.");
  }
  const timer = setTimeout(() => endGroup(child), GIT_MS_MAX);
  // The process's end alone frees its place: an answer that nobody begins to read has no end of its own.
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve())).then(async () => {
    clearTimeout(timer);
    await groupEnded(child);
    leave();
    await backend.onEnd();
  });
  const stop = (): Promise<void> => {
    endGroup(child);
    // Unread output would hold up its end.
    child.stdout.destroy();
    return ended;
  };

  void feed(backend.request.body, child.stdin).catch(() => endGroup(child));
  const chunks = child.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    const { head, rest } = await readCgiHead(chunks);
    return new Response(bodyOf(chunks, rest, ended, stop), { status: head.status, headers: head.headers });
  } catch (cause) {
    await stop();
    throw new SvcError("internal", "git gave no answer.", { cause });
  }
}

/** Undefined when the system has no room for another process. */
function startBackend(backend: BackendRequest): ChildProcessByStdio<Writable, Readable, null> | undefined {
  try {
    const child = spawn("git", ["http-backend"], {
      cwd: "/",
      env: gitEnvironment(variablesOf(backend)),
      // A group of its own: what http-backend starts ends with it.
      detached: true,
      stdio: ["pipe", "pipe", "ignore"],
    });
    child.on("error", () => undefined);
    return child.pid === undefined ? undefined : child;
  } catch {
    return undefined;
  }
}

/** Ends when the process has; whoever stops reading, or never begins to, ends the process. */
function bodyOf(
  chunks: AsyncIterator<Buffer>,
  rest: Buffer,
  ended: Promise<void>,
  stop: () => Promise<void>,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        if (rest.length > 0) controller.enqueue(rest);
      },
      async pull(controller) {
        const next = await chunks.next();
        if (!next.done) return controller.enqueue(next.value);
        await ended;
        controller.close();
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
}

/** @throws SvcError payload_too_large for a body without a length that is too long after all */
async function feed(body: ReadableStream<Uint8Array> | null, stdin: Writable): Promise<void> {
  // git ends early when it refuses a request; what is left of the body has no reader then, and is read away.
  let open = true;
  const closed = finished(stdin).catch(() => undefined);
  void closed.then(() => (open = false));
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.byteLength;
    if (length > PUSH_BYTES_MAX) throw tooLarge();
    if (open && !stdin.write(chunk)) await Promise.race([once(stdin, "drain").catch(() => undefined), closed]);
  }
  if (open) stdin.end();
}

function variablesOf({ root, repositoryId, service, advertises, request }: BackendRequest): Record<string, string> {
  const header = (name: string): string => request.headers.get(name) ?? "";
  const path = advertises ? "info/refs" : service;
  const variables: Record<string, string> = {
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: "1",
    GIT_PROTOCOL: header("Git-Protocol"),
    PATH_INFO: `/${repositoryId}.git/${path}`,
    QUERY_STRING: advertises ? `service=${service}` : "",
    REQUEST_METHOD: advertises ? "GET" : "POST",
    CONTENT_TYPE: header("Content-Type"),
    // Makes http-backend allow a push: whoever gets here may.
    REMOTE_USER: "svc",
  };
  // No CONTENT_LENGTH: of a client that sends less than it said, git waits for the rest for ever, at full speed.
  if (header("Content-Encoding") !== "") variables["HTTP_CONTENT_ENCODING"] = header("Content-Encoding");
  return variables;
}

function tooLarge(): SvcError {
  return new SvcError(
    "payload_too_large",
    `A push may bring at most ${PUSH_BYTES_MAX / 1024 ** 2} MiB: push in smaller parts, or keep large files elsewhere.`,
  );
}

/** git removes what it has half received when its input ends, and leaves it behind when a signal ends it. */
function endGroup(child: ChildProcess): void {
  child.stdin?.end();
  const timer = setTimeout(() => signalGroup(child, "SIGKILL"), TERM_MS);
  child.once("close", () => clearTimeout(timer));
}

/** What the process has started may outlive it, while it removes what it has half received. */
async function groupEnded(child: ChildProcess): Promise<void> {
  const deadline = performance.now() + TERM_MS;
  while (signalGroup(child, 0)) {
    if (performance.now() > deadline) return void signalGroup(child, "SIGKILL");
    await delay(GROUP_POLL_MS);
  }
}

/** @returns whether anybody of the group is left; the signal 0 only asks */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  try {
    return process.kill(-child.pid, signal);
  } catch {
    return false;
  }
}
