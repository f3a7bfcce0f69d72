import { appTools } from "./tools/apps.ts";
import { deployTools } from "./tools/deploys.ts";
import { runningTools } from "./tools/running.ts";
import { settingTools } from "./tools/settings.ts";
import { teamTools } from "./tools/team.ts";
import type { Tool } from "./tool.ts";

/** All that an assistant can do. A caller has the tools whose operations all are theirs to call. */
export const TOOLS: readonly Tool[] = [...appTools, ...deployTools, ...runningTools, ...settingTools, ...teamTools];
