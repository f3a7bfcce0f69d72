import type { paths } from "svc-cli/gen/api.ts";
import type { ApiRequest } from "../curl.ts";

/** A call of the public API that a page makes. In lines, `{name}` is the name of what the page is of. */
export interface Call {
  does: string;
  request: `${ApiRequest["method"]} ${keyof paths & string}`;
  /** The path's parameters beside what the page is of; in capitals: what a reader has to put in its place. */
  params?: Readonly<Record<string, string>>;
  query?: string;
  body?: object;
  /** It answers with lines as they come, which curl is not to gather. */
  isStream?: boolean;
  /** The same with the tool; absent where that does not do it. */
  svc?: string;
  /** The same with the commands on the control plane's machine, for operators. */
  admin?: string;
}

export type CallsOfPages<Page extends string> = Readonly<Record<Page, readonly Call[]>>;
