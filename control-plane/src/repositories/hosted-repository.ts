/** Where a repository of the platform's own git host is, as its clone URL names it. */
export interface HostedRepository {
  /** UUID of the user: it stays the same when a person's name or address changes. */
  ownerId: string;
  /** The app's name. */
  name: string;
}

/** `{base_url}/git/<owner>/<name>.git`. */
export function hostedRepositoryUrl(baseUrl: string, { ownerId, name }: HostedRepository): string {
  return `${baseUrl}/git/${ownerId}/${name}.git`;
}

const PATH = /^\/git\/([0-9a-f-]{36})\/([a-z0-9-]{1,63})\.git$/;

/** Reads the repository that the URL names on the platform's own git host; undefined when it is another host's. */
export function parseHostedRepositoryUrl(baseUrl: string, url: string): HostedRepository | undefined {
  if (!url.startsWith(baseUrl)) return undefined;
  const [, ownerId, name] = PATH.exec(url.slice(baseUrl.length)) ?? [];
  return ownerId === undefined || name === undefined ? undefined : { ownerId, name };
}

/** A repository whose default branch may have got new commits. */
export interface PushedRepository {
  id: string;
  owner_id: string;
  name: string;
}
