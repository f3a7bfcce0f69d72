/** Why a deploy was taken back soon after it went live, as the API shows it. */
export interface TakenBack {
  at: string;
  reason: string;
  /** A sentence for the owner. */
  detail: string;
  /** Null: the container did not end. */
  exit_code: number | null;
  last_lines: string[];
  /** The release that serves instead, and the deploy that made it. */
  release: string;
  deploy_id: string;
}
