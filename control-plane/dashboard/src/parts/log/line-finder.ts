import "../shared-by-pages.ts";

/** Is loaded when somebody searches in a log. */
export { isFound, readFilter } from "../../text/log/find-lines.ts";
