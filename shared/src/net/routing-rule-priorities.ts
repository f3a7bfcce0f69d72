/**
 * Priorities of the kernel's routing rules that the agent sets, one each: before the tables that lead anywhere (32766 and
 * 32767). Nothing else of a host's is known to be there.
 */
export const ROUTING_RULE_PRIORITIES: readonly number[] = Array.from({ length: 9 }, (_, index) => 16_921 + index);

/** The same for the rules of a cluster's machines, after those of an agent's own. */
export const NODE_RULE_PRIORITIES: readonly number[] = Array.from({ length: 4 }, (_, index) => 16_940 + index);
