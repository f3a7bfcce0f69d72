import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { finished } from "node:stream/promises";
import type { Writable } from "node:stream";
import { SvcError } from "@svc/shared/errors.ts";
import { readCgiHead } from "./cgi.ts";
import { gitEnvironment, PUSH_BYTES_MAX } from "./git-environment.ts";

/** What git's smart protocol asks for over HTTP. */
export type GitService = "git-upload-pack" | "git-receive-pack";

export interface BackendRequest {
  /** Folder of the repositories. */
  root: string;
  repositoryId: string;
  service: GitService;
  /** Of the two requests of an exchange, the first, which lists the refs. */
  advertises: boolean;
  request: Request;
  /** Runs once git has ended, however it ended, before the answer does. */
  onEnd: () => Promise<void>;
}

/** A push or clone of the largest repository over a slow line; what takes longer hangs. */
const MS_MAX = 10 * 60_000;

/** git needs some 30 MB for each. */
const PROCESSES_MAX = 32;
let processes = 0;

/**
 * Answers with git's own `http-backend`, streaming in both directions at the pace of the slower side.
 * @throws SvcError rate_limited, payload_too_large, internal
 */
export async function serveGit(backend: BackendRequest): Promise<Response> {
  if (Number(backend.request.headers.get("Content-Length") ?? 0) > PUSH_BYTES_MAX) throw tooLarge();
  if (processes >= PROCESSES_MAX) {
    const sentence = "Too many clones and pushes run at this moment: try again in a few seconds.";
    throw new SvcError("rate_limited", sentence, { retryAfterSeconds: 5 });
  }
  processes += 1;
  const child = spawn("git", ["http-backend"], {
    cwd: "/",
    env: gitEnvironment(variablesOf(backend)),
    // A group of its own: what http-backend starts dies with it.
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const ended = once(child, "close").catch(() => undefined);
  const timer = setTimeout(() => killGroup(child), MS_MAX);
  let cleared: Promise<void> | undefined;
  const end = (): Promise<void> =>
    (cleared ??= (async () => {
      clearTimeout(timer);
      killGroup(child);
      await ended;
      processes -= 1;
      await backend.onEnd();
    })());

  void feed(backend.request.body, child.stdin).catch(() => killGroup(child));
  const chunks = child.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    const { head, rest } = await readCgiHead(chunks);
    return new Response(ReadableStream.from(bodyOf(chunks, rest, ended, end)), {
      status: head.status,
      headers: head.headers,
    });
  } catch (cause) {
    await end();
    throw new SvcError("internal", "git gave no answer.", { cause });
  }
}

/** Its end, however it comes about, is the process's end. */
async function* bodyOf(
  chunks: AsyncIterator<Buffer>,
  rest: Buffer,
  ended: Promise<unknown>,
  end: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  try {
    if (rest.length > 0) yield rest;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
    await ended;
  } finally {
    await end();
  }
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
  if (header("Content-Length") !== "") variables["CONTENT_LENGTH"] = header("Content-Length");
  if (header("Content-Encoding") !== "") variables["HTTP_CONTENT_ENCODING"] = header("Content-Encoding");
  return variables;
}

function tooLarge(): SvcError {
  return new SvcError(
    "payload_too_large",
    `A push may bring at most ${PUSH_BYTES_MAX / 1024 ** 2} MiB: push in smaller parts, or keep large files elsewhere.`,
  );
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // Nobody of the group is left.
  }
}
