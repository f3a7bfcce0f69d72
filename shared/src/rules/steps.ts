/** The four steps of a deploy in their order, by their names in the API. */
export const STEP_NAMES = ["provision_db", "clone_build", "deploy_container", "proxy_route"] as const;
export type StepName = (typeof STEP_NAMES)[number];
