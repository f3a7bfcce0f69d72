/** The four steps of a deploy in their order (specification, What the service does 2), by their names in the API. */
export const STEP_NAMES = ["provision_db", "clone_build", "deploy_container", "proxy_route"] as const;
export type StepName = (typeof STEP_NAMES)[number];
