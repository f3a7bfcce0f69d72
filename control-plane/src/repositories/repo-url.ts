import { parseRepositoryUrl } from "@svc/shared/rules/repository-url.ts";

/**
 * What the agents take, so that an address is refused when it is given and not at every deploy.
 * @throws SvcError invalid_request
 */
export function checkRepoUrl(url: string): void {
  parseRepositoryUrl(url, "repo_url");
}
