import { spawn, type ChildProcess, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { finished } from "node:stream/promises";
import type { Readable, Writable } from "node:stream";
import { SvcError } from "@svc/shared/errors.ts";
import { readCgiHead } from "./cgi.ts";
import { boundedGit, FETCH_BOUNDS, PUSH_BOUNDS, type GitBounds } from "./git-bounds.ts";
import { gitEnvironment } from "./git-environment.ts";
import { GitInput, refusalPacket, type GitService } from "./git-input.ts";
import { takeGitPlace } from "./git-places.ts";

export interface BackendRequest {
  /** Folder of the repositories. */
  root: string;
  repositoryId: string;
  /** The user who asks; undefined for a deploy. */
  userId: string | undefined;
  service: GitService;
  /** True for the first of an exchange's two requests, which lists the refs. */
  advertises: boolean;
  request: Request;
  /** Finds whether a push may begin, once git has its place. @throws SvcError when it may not */
  admit?: () => Promise<Admission>;
  /** Others than the service's own, for tests. */
  bounds?: GitBounds;
  /** Runs once git has ended, however it ended, before the answer does; git's place is free after that. */
  onEnd: () => Promise<void>;
}

export interface Admission {
  /** How many branches and tags the repository has. */
  refCount: number;
  /** Gives back what the push was promised. */
  leave: () => void;
}

/** git removes within this what it has half received; then it is killed. */
const TERM_MS = 3_000;
const GROUP_POLL_MS = 20;

/**
 * Answers with git's own `http-backend`, streaming in both directions at the pace of the slower side.
 * @throws SvcError rate_limited, payload_too_large, unsupported_media_type, internal, and what `admit` throws
 */
export async function serveGit(backend: BackendRequest): Promise<Response> {
  const { service, request } = backend;
  const bounds = backend.bounds ?? (service === "git-receive-pack" ? PUSH_BOUNDS : FETCH_BOUNDS);
  const input = new GitInput(request, service);
  const { refCount, leave } = await enter(backend);
  const child = startBackend(backend, bounds);
  if (!child) {
    leave();
    throw new SvcError("internal", "git can't be started.");
  }
  const overtime = new AbortController();
  const timer = setTimeout(() => overtime.abort(new Error("git was ended at its time limit")), bounds.msMax);
  // The process's end alone frees its place: an answer that nobody begins to read has no end of its own.
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve())).then(async () => {
    clearTimeout(timer);
    await groupEnded(child);
    await backend.onEnd().finally(leave);
  });
  const stop = (): Promise<void> => {
    endGroup(child);
    // Unread output would hold up its end.
    child.stdout.destroy();
    return ended;
  };
  overtime.signal.addEventListener("abort", () => void stop());

  void feed(
    input.chunks(refCount, () => endGroup(child)),
    child.stdin,
  ).catch(() => endGroup(child));
  const chunks = child.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    const { head, rest } = await readCgiHead(chunks);
    const lastWords = (): Uint8Array | undefined => input.refusal && refusalPacket(service, input.refusal);
    return new Response(bodyOf(chunks, { rest, ended, stop, overtime: overtime.signal, lastWords }), {
      status: head.status,
      headers: head.headers,
    });
  } catch (cause) {
    await stop();
    throw new SvcError("internal", "git gave no answer.", { cause });
  }
}

/** Takes git's place first, so that whatever is done for a request counts among what runs at the same time. */
async function enter({ userId, request, admit }: BackendRequest): Promise<Admission> {
  const leavePlace = await takeGitPlace(userId, request.signal);
  try {
    const admission = await admit?.();
    const leave = (): void => {
      admission?.leave();
      leavePlace();
    };
    return { refCount: admission?.refCount ?? 0, leave };
  } catch (error) {
    leavePlace();
    throw error;
  }
}

/** Is undefined when the system has no room for another process. */
function startBackend(
  backend: BackendRequest,
  bounds: GitBounds,
): ChildProcessByStdio<Writable, Readable, null> | undefined {
  try {
    const child = spawn(...boundedGit(bounds, ["http-backend"]), {
      cwd: "/",
      env: gitEnvironment(variablesOf(backend), bounds),
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

interface BodyParts {
  /** The part of the body that came with the head. */
  rest: Buffer;
  ended: Promise<void>;
  stop: () => Promise<void>;
  /** Aborts when git has used up its time. */
  overtime: AbortSignal;
  /** The words after git, which was ended before it said anything. */
  lastWords: () => Uint8Array | undefined;
}

/** Ends when the process has; whoever stops reading, or never begins to, ends the process. */
function bodyOf(
  chunks: AsyncIterator<Buffer>,
  { rest, ended, stop, overtime, lastWords }: BodyParts,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        if (rest.length > 0) controller.enqueue(rest);
        // A client that has stopped reading loses its connection.
        overtime.addEventListener("abort", () => controller.error(overtime.reason));
      },
      async pull(controller) {
        const next = await chunks.next();
        if (!next.done) return controller.enqueue(next.value);
        await ended;
        const words = lastWords();
        if (words) controller.enqueue(words);
        controller.close();
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
}

async function feed(input: AsyncIterable<Uint8Array>, stdin: Writable): Promise<void> {
  // git ends early when it refuses a request; what is left of the body has no reader then, and is read away.
  let open = true;
  const closed = finished(stdin).catch(() => undefined);
  void closed.then(() => (open = false));
  for await (const chunk of input) {
    if (open && !stdin.write(chunk)) await Promise.race([once(stdin, "drain").catch(() => undefined), closed]);
  }
  if (open) stdin.end();
}

function variablesOf({ root, repositoryId, service, advertises, request }: BackendRequest): Record<string, string> {
  const header = (name: string): string => request.headers.get(name) ?? "";
  const path = advertises ? "info/refs" : service;
  return {
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: "1",
    GIT_PROTOCOL: header("Git-Protocol"),
    PATH_INFO: `/${repositoryId}.git/${path}`,
    QUERY_STRING: advertises ? `service=${service}` : "",
    REQUEST_METHOD: advertises ? "GET" : "POST",
    CONTENT_TYPE: header("Content-Type"),
    // Makes http-backend allow a push: whoever gets here may.
    REMOTE_USER: "svc",
    // No CONTENT_LENGTH: of a client that sends less than it said, git waits for the rest for ever, at full speed.
  };
}

/** git removes what it has half received when its input ends, and leaves it behind when a signal ends it. */
function endGroup(child: ChildProcess): void {
  // Once it has gone, its number may be another process's.
  const hasExited = child.exitCode !== null || child.signalCode !== null;
  if (hasExited && child.stdout?.closed) return;
  child.stdin?.end();
  const timer = setTimeout(() => signalGroup(child, "SIGKILL"), TERM_MS);
  child.once("close", () => clearTimeout(timer));
}

/**
 * Resolves when the whole process group has ended: children may outlive the process while they remove what is half
 * received.
 */
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
