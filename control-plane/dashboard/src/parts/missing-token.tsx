import { Complaint } from "./complaint.tsx";

/** @param hint where a whole link comes from */
export function MissingToken({ hint }: { hint: string }) {
  return <Complaint sentence={`This link is incomplete: copy all of it from the mail. ${hint}`} />;
}
