import { refProblem } from "@svc/shared/rules/git-ref.ts";
import { invalid, quoted } from "../platform/invalid.ts";

/**
 * Whether the text can be a branch, a tag or a commit, and nothing that git takes for an option or a refspec. Whether it is
 * there is found out by the clone.
 * @throws SvcError invalid_request
 */
export function checkRef(ref: string): void {
  const problem = refProblem(ref);
  if (problem === undefined) return;
  const advice = ref === "" ? "; leave it out for the default branch" : "";
  throw invalid(`The ref ${quoted(ref)} can't be a branch, tag or commit: it ${problem}${advice}.`);
}
