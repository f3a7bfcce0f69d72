import { parseRepositoryUrl } from "@svc/shared/rules/repository-url.ts";

/**
 * Applies the agents' check, so that an address is refused when it is given and not at every deploy.
 * @throws SvcError invalid_request
 */
export function checkRepoUrl(url: string): void {
  parseRepositoryUrl(url, "repo_url");
}
