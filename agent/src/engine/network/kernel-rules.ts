/** Builds run on this bridge, which is the engine's own. */
export const BUILDS_BRIDGE = "docker0";

/** A program that sets a rule answers in that time, or is ended. */
export const RULES_ANSWER_MS_MAX = 10_000;

/** Others remove rules, too: a firewall that is loaded anew, or a daemon that sets the host's network up. */
export const RULES_LOOK_MS = 30_000;
