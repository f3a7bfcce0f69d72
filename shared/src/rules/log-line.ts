/** UTF-8 of one line of a step's log on the wire (events.proto, LogLines); the agent cuts a longer line between two characters. */
export const LINE_BYTES_MAX = 16 * 1024;
/** How much shorter a cut line may be, so that no character is split. */
export const LINE_CUT_SLACK_BYTES = 3;
/**
 * So many lines of a container's log are read before the first that was asked for: it may be the rest of one of them, and
 * what is secret in it may have begun there.
 */
export const LINES_BEFORE = 50;
