import { curlOf, type ApiRequest } from "../curl.ts";
import type { Tab } from "../places.ts";
import type { Call, CallsOfPages } from "./call.ts";
import { APP_CALLS } from "./calls-of-apps.ts";
import { OPERATOR_CALLS, type OperatorPage } from "./calls-of-operators.ts";
import { PERSONAL_CALLS, type PersonalPage } from "./calls-of-people.ts";

/** A page whose actions are calls of the public API; the tabs are those of an app. */
export type PageWithCalls = Tab | PersonalPage | OperatorPage;

/** An action of a page, as it is done without the page. */
export interface Command {
  does: string;
  lines: readonly CommandLine[];
}

export interface CommandLine {
  tool: "svc" | "admin" | "curl";
  text: string;
}

/** The names of apps and servers, and the ids of teams: nothing that a shell or a tool takes for anything else. */
const NAME = /^[a-z0-9][a-z0-9-]*$/;

const CALLS: CallsOfPages<PageWithCalls> = { ...APP_CALLS, ...PERSONAL_CALLS, ...OPERATOR_CALLS };

/** Whether keys may do what the page does. Operators do theirs signed in. */
export function takesKeys(page: PageWithCalls): boolean {
  return !(page in OPERATOR_CALLS);
}

/** The commands of a page; none where no app, server or team has such a name: a link may lead to a page of any text. @param of the name of its app or server, or the id of its team @param origin the service's own address */
export function commandsOf(page: PageWithCalls, of: string, origin: string): Command[] {
  if (of !== "" && !NAME.test(of)) return [];
  return CALLS[page].map((call) => ({ does: call.does, lines: linesOf(call, of, origin, takesKeys(page)) }));
}

function linesOf(call: Call, of: string, origin: string, takesKey: boolean): CommandLine[] {
  const { isStream = false, svc, admin } = call;
  const filled = (line: string) => line.replaceAll("{name}", of);
  return [
    ...(svc === undefined ? [] : [{ tool: "svc", text: `svc ${filled(svc)}` } as const]),
    ...(admin === undefined ? [] : [{ tool: "admin", text: `npm run admin -- ${filled(admin)}` } as const]),
    { tool: "curl", text: curlOf(requestOf(call, of), origin, { isStream, takesKey }) },
  ];
}

function requestOf({ request, params = {}, query, body }: Call, of: string): ApiRequest {
  const [method, path] = request.split(" ") as [ApiRequest["method"], string];
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? of));
  return { method, path: query === undefined ? filled : `${filled}?${query}`, body };
}
