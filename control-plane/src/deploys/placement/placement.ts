export interface Candidate {
  id: string;
  name: string;
  /** Apps that live there. */
  appCount: number;
  /** Whether some control plane has a link to its agent. */
  linked: boolean;
}

/**
 * The server for an app that has none: the one with the fewest apps. One whose agent is away takes an app only when
 * all are away, since its deploys would wait.
 * @param candidates the active servers
 */
export function chooseServer(candidates: readonly Candidate[]): Candidate | undefined {
  const [best] = [...candidates].sort(
    (a, b) => Number(b.linked) - Number(a.linked) || a.appCount - b.appCount || a.name.localeCompare(b.name, "en"),
  );
  return best;
}
