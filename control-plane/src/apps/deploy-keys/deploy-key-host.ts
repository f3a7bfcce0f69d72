import { isRecord, requireJson } from "@svc/shared/json.ts";

/** A git host that deploy keys work with. */
export interface DeployKeyHost {
  /** The host as it stands in a repository's address: `github.com`, or with a port that is not 443. */
  host: string;
  /** `ssh://user@host:port`, without a slash at the end. */
  ssh: string;
  /** Its pinned keys, `<type> <base64>` each: no other is ever accepted. */
  knownHosts: readonly string[];
}

/** GitHub's published host keys (its documentation: GitHub's SSH key fingerprints). */
export const DEFAULT_DEPLOY_KEY_HOSTS: readonly DeployKeyHost[] = [
  {
    host: "github.com",
    ssh: "ssh://git@github.com:22",
    knownHosts: [
      "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl",
      "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBEmKSENjQEezOmxkZMy7opKgwFB9nkt5YRrYMjNuG5N87uRgg6CLrbo5wAdT/y6v0mKV0U2w0WZ2YB/++Tpockg=",
      "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQCj7ndNxQowgcQnjshcLrqPEiiphnt+VTTvDP6mHBL9j1aNUkY4Ue1gvwnGLVlOhGeYrnZaMgRK6+PKCUXaDbC7qtbW8gIkhL7aGCsOr/C56SJMy/BCZfxd1nWzAOxSDPgVsmerOBYfNqltV9/hWCqBywINIR+5dIg6JTJ72pcEpEjcYgXkE2YEFXV1JHnsKgbLWNlhScqb2UmyRkQyytRLtL+38TGxkxCflmO+5Z8CSSNY7GidjMIZ7Q4zMjA2n1nGrlTDkzwDCsw+wqFPGQA179cnfGWOWRVruj16z6XyvxvjJwbz0wQZ75XK5tKSb7FNyeIEs4TT4jk+S4dhPeAUC5y+bDYirYgM4GC7uEnztnZyaVWQ7B381AK4Qdrwt51ZqExKbQpTUNn+EjqoTwvqNj4kqx5QUCI0ThS/YkOxJCXmPUWZbhjpCg56i+2aB6CmK2JGhn57K5mj0MNdBXA4/WnwH6XoPWJzK5Nyu2zB3nAZp+S5hpQs+p1vN1/wsjk=",
    ],
  },
];

/** `https://<host>/<owner>/<repo>`, `.git` at the end accepted. */
const REPOSITORY = /^https:\/\/([^/?#@]+)\/([a-z0-9][\w.-]*)\/([\w.-]+?)(?:\.git)?$/i;
/** Names that a folder cannot have. */
const IS_DOTS = /^\.(?:git|\.*)$/i;
const SSH_ADDRESS = /^ssh:\/\/[a-z_][a-z0-9_-]*@((?:[a-z0-9-]+\.)*[a-z0-9-]+|\[[0-9a-f:.]+\]):([0-9]{1,5})$/;
const HOST = /^[a-z0-9.-]+(?::[0-9]{1,5})?$/;
const PUBLIC_KEY = /^(?:ssh-ed25519|ecdsa-sha2-nistp(?:256|384|521)|ssh-rsa) [A-Za-z0-9+/]+={0,2}$/;

export interface SshRepository {
  /** ssh://git@github.com:22/owner/repo.git */
  url: string;
  /** Lines of a known_hosts file. */
  knownHosts: string[];
}

/** Where the repository is read over SSH; undefined when its host is not configured or its address has another form. */
export function sshRepository(repoUrl: string | null, hosts: readonly DeployKeyHost[]): SshRepository | undefined {
  const [, authority, owner, repo] = REPOSITORY.exec(repoUrl ?? "") ?? [];
  if (authority === undefined || repo === undefined || IS_DOTS.test(repo)) return undefined;
  const keyHost = hosts.find(({ host }) => host === authority.toLowerCase());
  if (!keyHost) return undefined;
  const name = knownHostName(keyHost.ssh);
  return {
    url: `${keyHost.ssh}/${owner}/${repo}.git`,
    knownHosts: keyHost.knownHosts.map((key) => `${name} ${key}`),
  };
}

/** sshd(8), SSH_KNOWN_HOSTS FILE FORMAT: a port that is not 22 is a part of the name. */
function knownHostName(ssh: string): string {
  const [, host = "", port] = SSH_ADDRESS.exec(ssh) ?? [];
  const bare = host.replace(/^\[|\]$/g, "");
  return port === "22" ? bare : `[${bare}]:${port}`;
}

/**
 * Reads the file that SVC_GIT_HOSTS_FILE names.
 * @throws Error with a sentence that names the entry and the property
 */
export function parseDeployKeyHosts(text: string): DeployKeyHost[] {
  const document: unknown = requireJson(text);
  if (!Array.isArray(document) || document.length === 0) throw new Error("it must be a JSON array of git hosts");
  return document.map((entry: unknown, index) => parseDeployKeyHost(entry, `entry ${index + 1}`));
}

function parseDeployKeyHost(entry: unknown, name: string): DeployKeyHost {
  if (!isRecord(entry)) throw new Error(`${name} must be an object with host, ssh and known_hosts`);
  const { host, ssh, known_hosts: knownHosts, ...others } = entry;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new Error(`${name} has an unknown property ${unknown}; allowed are host, ssh and known_hosts`);
  }
  if (typeof host !== "string" || !HOST.test(host)) {
    throw new Error(`host of ${name} must be a lower-case host name such as github.com, with a port if it is not 443`);
  }
  const port = typeof ssh === "string" ? Number(SSH_ADDRESS.exec(ssh)?.[2]) : Number.NaN;
  if (typeof ssh !== "string" || !(port >= 1 && port <= 65_535)) {
    throw new Error(`ssh of ${name} must be an address such as ssh://git@github.com:22, without a path`);
  }
  if (!Array.isArray(knownHosts) || knownHosts.length === 0 || !knownHosts.every(isPublicKey)) {
    throw new Error(`known_hosts of ${name} must be an array of host keys such as "ssh-ed25519 AAAA…"`);
  }
  return { host, ssh, knownHosts };
}

function isPublicKey(value: unknown): value is string {
  return typeof value === "string" && PUBLIC_KEY.test(value);
}
