import { start } from "./0001-start.ts";
import { wholeApi } from "./0002-whole-api.ts";
import { domainChecks } from "./0003-domain-checks.ts";

export interface Migration {
  /** 1, 2, 3, … without gaps. */
  version: number;
  name: string;
  sql: string;
}

/** By hand, in order: what runs on a user's data is never found by listing a folder. */
export const MIGRATIONS: readonly Migration[] = [start, wholeApi, domainChecks];
