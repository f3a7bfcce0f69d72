import manifest from "../../package.json" with { type: "json" };
import { findInstallation } from "./installation.ts";

export const AGENT_VERSION: string = findInstallation()?.version ?? manifest.version;
