import { SvcError, type ErrorCode } from "@svc/shared/errors.ts";

export interface FailureContext {
  url: URL;
  /** The ref as the user gave it; undefined for the default branch. */
  ref: string | undefined;
}

interface Explanation {
  /** The text that git, or its HTTPS library, writes to standard error. */
  when: RegExp;
  code: ErrorCode;
  sentence: (ctx: FailureContext, match: RegExpExecArray) => string;
}

/** The first that matches counts. */
const EXPLANATIONS: readonly Explanation[] = [
  {
    // A checkout does not say why it could not write; in a directory of our own it is the space.
    when: /No space left on device|Disk quota exceeded|unable to write (?:new_index )?file/,
    code: "disk_full",
    sentence: () =>
      "The server's disk is full, so the repository could not be fetched. Whoever runs this service must free space.",
  },
  {
    when: /attempting to allocate .* over limit|Out of memory, (?:malloc|realloc|calloc|mmap)/i,
    code: "repository_too_large",
    sentence: ({ url }) =>
      `The repository ${url.href} holds an object that takes more memory than a fetch may use. ` +
      "Take large files out of it, or keep them elsewhere.",
  },
  {
    when: /couldn't find remote ref|not our ref|unadvertised object|Could not (?:read|parse) object/i,
    code: "ref_not_found",
    sentence: (ctx) => refNotFound(ctx),
  },
  {
    when: /Host key verification failed|host key is known for|REMOTE HOST IDENTIFICATION HAS CHANGED/i,
    code: "repository_unreachable",
    sentence: ({ url }) =>
      `The repository's host ${url.host} did not show one of the host keys that are pinned for it, so it was not trusted. ` +
      "Whoever runs this service must check whether the host has new keys and put them into the file of SVC_GIT_HOSTS_FILE.",
  },
  {
    when: /Permission denied \(/,
    code: "repository_needs_credentials",
    sentence: ({ url }) =>
      `The repository's host ${url.host} does not accept the app's deploy key for ${url.href}. ` +
      "Add the public key (GET /api/apps/{name}/deploy-key) to the repository as a read-only deploy key, then deploy again.",
  },
  {
    when: /ssh: (?:command )?not found|cannot run .*ssh/i,
    code: "repository_unreachable",
    sentence: () =>
      "ssh cannot be started on the server. Whoever runs this service must install its client there (openssh-client).",
  },
  {
    when: /could not read (?:Username|Password)|Authentication failed|returned error: 40[13]|terminal prompts disabled/i,
    code: "repository_needs_credentials",
    sentence: ({ url }) =>
      `The repository ${url.href} cannot be read without a login: it is private, or it does not exist. ` +
      "Check its address, or make it public.",
  },
  {
    when: /returned error: (30\d)|unable to update url base from redirection/i,
    code: "repository_unreachable",
    sentence: ({ url }) =>
      `The repository's host ${url.host} redirects ${url.href} to another address; redirects are not followed. ` +
      "Use the address that it leads to (open it in a browser to see).",
  },
  {
    when: /repository '.*' not found|returned error: (?:404|410)|is this a git repository|not appear to be a git repository|Repository not found/i,
    code: "repository_not_found",
    sentence: ({ url }) =>
      url.protocol === "ssh:"
        ? `There is no git repository at ${url.href} that the app's deploy key opens. ` +
          "Check its address, and that the public key is added to it as a deploy key."
        : `There is no git repository at ${url.href}. Check its address.`,
  },
  {
    when: /certificate|SSL|TLS|gnutls/i,
    code: "repository_unreachable",
    sentence: ({ url }, match) =>
      `The repository's host ${url.host} could not be trusted: its TLS certificate is ${certificateFlaw(match.input)}. ` +
      "Its owner must fix that; a private authority can be added by whoever runs this service (SVC_OUTBOUND_CA_FILE).",
  },
  {
    when: /Could not resolve host/i,
    code: "repository_unreachable",
    sentence: ({ url }) =>
      `There is no address for the repository's host ${url.hostname}: check the spelling of the repository's address.`,
  },
  {
    when: /Connection refused|No route to host|Failed to connect|Couldn't connect/i,
    code: "repository_unreachable",
    sentence: ({ url }) =>
      `The repository's host ${url.host} refuses connections. Check the address and its port, or try again later.`,
  },
  {
    when: /returned error: 429/i,
    code: "repository_unreachable",
    sentence: ({ url }) => `The repository's host ${url.host} has had too many requests. Try again in a few minutes.`,
  },
  {
    when: /returned error: (5\d\d)/i,
    code: "repository_unreachable",
    sentence: ({ url }, match) =>
      `The repository's host ${url.host} answered with error ${match[1]}. Try again later; the fault is on its side.`,
  },
  {
    when: /fsck error|bad object|invalid index-pack|inflate: data stream error|unpack/i,
    code: "repository_unreachable",
    sentence: ({ url }) =>
      `The repository ${url.href} holds damaged objects and was refused. Run \`git fsck --strict\` in a clone of it.`,
  },
  {
    when: /timed out|too slow|reset by peer|early EOF|hung up|Connection closed|unexpected disconnect|Recv failure/i,
    code: "repository_unreachable",
    sentence: ({ url }) =>
      `The connection to the repository's host ${url.host} broke off or was too slow. Try again later.`,
  },
];

/** Turns what git said about a repository into the sentence that its user needs. git's own words are only the cause. */
export function explainFailure(stderr: string, ctx: FailureContext, cause: unknown): SvcError {
  for (const { when, code, sentence } of EXPLANATIONS) {
    const match = when.exec(stderr);
    if (match) return new SvcError(code, sentence(ctx, match), { cause });
  }
  return new SvcError(
    "repository_unreachable",
    `The repository ${ctx.url.href} could not be fetched. Check that \`git clone ${ctx.url.href}\` works, then try again.`,
    { cause },
  );
}

export function refNotFound({ url, ref }: FailureContext): string {
  if (ref === undefined) {
    return `The repository ${url.href} has no commit on its default branch. Push one, or name a branch with \`ref\`.`;
  }
  return (
    `The repository ${url.href} has no branch, tag or commit ${ref}. Check the spelling and that it is pushed; ` +
    "a commit is best named by its full SHA."
  );
}

function certificateFlaw(stderr: string): string {
  if (/expired/i.test(stderr)) return "expired";
  if (/does not match|no alternative certificate subject name|owner does not match/i.test(stderr)) {
    return "for another name";
  }
  return "not from a known authority, or its handshake failed";
}
