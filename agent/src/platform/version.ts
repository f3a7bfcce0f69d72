import manifest from "../../package.json" with { type: "json" };

export const AGENT_VERSION: string = manifest.version;
