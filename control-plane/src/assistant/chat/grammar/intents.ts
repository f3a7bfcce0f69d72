import { form, type Form, type Slots } from "./form.ts";

/** A call of a tool of the table; values of variables are placeholders. */
export interface Call {
  tool: string;
  input: Record<string, unknown>;
}

/** One thing that people ask for. */
export interface Intent {
  forms: readonly Form[];
  /** Whether it is about one app, which is looked for elsewhere when the sentence names none. */
  app: "needed" | "none";
  /** Its meaning, for `Understood: …`. `app` is empty where there is none. */
  says(app: string, slots: Slots): string;
  calls(app: string, slots: Slots): Call[];
  /** Sentences that one may write, for completion and help: each is understood as this intent. */
  examples(app: string): readonly string[];
}

const DEPLOY = "(deploy|redeploy|ship|release|publish)";
const WHY = "(why did|why has|why does|why is|why)";
const FAIL = "(fail|failed|failing|broken|break|down|go wrong)";
const UNHEALTHY =
  "(unhealthy|not healthy|crash|crashed|crashing|keep crashing|keeps crashing|restarting|keep restarting|keeps restarting)";
const BACK = "(roll back|rollback|revert|undo)";
const BEFORE = "(previous|last|earlier) [(one|release|version)]";
const OF_APP = "[(of|for|on|in)] [the] [app] [{app}]";
const AT_APP = "[(of|for|on|in|to|at|from) [the] [app] {app}]";
const AGAIN = "[(and|then|and then)] [{again}]";
const WHEN_IT_APPLIES = (slots: Slots): string => (slots.again === undefined ? "" : " and deploy it");

/** The order counts: the first that fits is meant. */
export const INTENTS: readonly Intent[] = [
  {
    forms: [
      form(`${DEPLOY} [(the app|app)] {app} [(now|again)]`),
      form(`${DEPLOY} [(it|this|the app)] [(now|again)]`),
      form(`${DEPLOY} [(the app|app)] {app} (from|at|branch|tag|commit|@) [the] [(branch|tag|commit)] {ref}`),
      form(`${DEPLOY} [(it|this|the app)] (from|at|branch|tag|commit|@) [the] [(branch|tag|commit)] {ref}`),
      form(`${DEPLOY} [the] [(branch|tag|commit)] {ref} (of|to|on|for) {app}`),
    ],
    app: "needed",
    says: (app, { ref }) => `deploy ${app}${ref === undefined ? "" : ` from ${ref}`}`,
    calls: (app, { ref }) => [{ tool: "deploy", input: { app, ...(ref !== undefined && { ref }) } }],
    examples: (app) => [`deploy ${app}`, `deploy ${app} from main`],
  },
  {
    forms: [
      form("why"),
      form(`${WHY} [(it|this|that)] [the] [(last|latest|newest)] [(deploy|deployment|build|release)] ${FAIL}`),
      form(
        `${WHY} [the] [(last|latest|newest)] [(deploy|deployment|build|release)] [(of|for)] {app} [(deploy|deployment)] ${FAIL}`,
      ),
      form(
        `${WHY} [the] [(deploy|deployment|release|version)] {numbered} [(of|for) [the] [app] {app}] [(deploy|deployment)] ${FAIL}`,
      ),
      form(`${WHY} [the] (deploy|deployment|release|version) {release} [(of|for) [the] [app] {app}] ${FAIL}`),
      form(
        "explain [(why|the)] [(last|latest)] [(failure|error|failed deploy)] [(of|for|in|with)] [{app}] [(failed|fails)]",
      ),
      form(
        "(what went wrong|what's wrong|what is wrong|what happened) [(with|to|in|on)] [the] [last] [deploy] [of] [{app}]",
      ),
    ],
    app: "needed",
    says: (app, slots) => {
      const release = releaseOf(slots);
      return release === undefined ? `why the last deploy of ${app} failed` : `why ${release} of ${app} failed`;
    },
    calls: (app, slots) => {
      const release = releaseOf(slots);
      return [{ tool: "explain_failure", input: { app, ...(release !== undefined && { release }) } }];
    },
    examples: (app) => [`why did the last deploy of ${app} fail?`],
  },
  {
    forms: [form(`${WHY} [the] [app] {app} ${UNHEALTHY}`), form(`${WHY} [(it|this|the app)] ${UNHEALTHY}`)],
    app: "needed",
    says: (app) => `why ${app} is unhealthy, and the end of its log`,
    calls: (app) => [
      { tool: "read_app", input: { app } },
      { tool: "read_logs", input: { app, lines: 20 } },
    ],
    examples: (app) => [`why is ${app} unhealthy?`],
  },
  {
    forms: [
      form("(what is|what's|which apps are|is anything) (broken|down|failing|unhealthy)"),
      form("(what broke|what has failed|anything broken)"),
    ],
    app: "none",
    says: () => "which apps are broken",
    calls: () => [{ tool: "list_apps", input: { broken: true } }],
    examples: () => ["what is broken?"],
  },
  {
    forms: [
      form("(what runs|what is running|what's running|what do i have|what is there|apps|my apps|overview)"),
      form("(list|show) [me] [(my|all|the|all my)] apps"),
      form("which apps [(do i have|are there|run|are running)]"),
    ],
    app: "none",
    says: () => "list the apps",
    calls: () => [{ tool: "list_apps", input: {} }],
    examples: () => ["what runs?"],
  },
  {
    forms: [
      form(`[(show|show me|what is|what's)] [the] (status|state|health) ${OF_APP}`),
      form("(how is|how's|how does|what about|how are things with) [{app}] [(doing|do|going|running)]"),
      form("is {app} (up|down|running|ok|okay|healthy|alive|live|working|there)"),
      form("{app} status"),
    ],
    app: "needed",
    says: (app) => `the status of ${app}`,
    calls: (app) => [{ tool: "read_app", input: { app } }],
    examples: (app) => [`status of ${app}`],
  },
  {
    forms: [
      form(`[(show|show me|read|get|list)] [the] (deploys|deployments|releases|history) ${OF_APP}`),
      form("{app} (deploys|deployments|releases|history)"),
    ],
    app: "needed",
    says: (app) => `the deploys of ${app}`,
    calls: (app) => [{ tool: "list_deploys", input: { app } }],
    examples: (app) => [`deploys of ${app}`],
  },
  {
    forms: [
      form(`[(show|show me|read|get|tail|view|see)] [the] [(last|latest|newest)] (log|logs) ${OF_APP}`),
      form("{app} (log|logs)"),
      form(
        "[(show|show me|read|get|search|grep)] [the] (log|logs) [(of|for|on|in) [the] [app] {app}] (for|with|about|containing|matching|that say) {query}",
      ),
      form("(log|logs) {app} {query}"),
      form("(log|logs) {query}"),
    ],
    app: "needed",
    says: (app, { query }) => `the log of ${app}${query === undefined ? "" : `, lines with ${query}`}`,
    calls: (app, { query }) => [{ tool: "read_logs", input: { app, ...(query !== undefined && { query }) } }],
    examples: (app) => [`logs of ${app}`, `logs of ${app} with level:error`],
  },
  {
    forms: [form(`[(show|show me|read|get)] [the] (metrics|traffic|usage) ${OF_APP}`), form("{app} (metrics|traffic)")],
    app: "needed",
    says: (app) => `the metrics of ${app}`,
    calls: (app) => [{ tool: "read_metrics", input: { app } }],
    examples: (app) => [`metrics of ${app}`],
  },
  {
    forms: [
      form(`(set|add|change|put|update|define) [(the|a)] [(variable|variables|env)] {settings} ${AT_APP} ${AGAIN}`),
      form(`(set|change) [the] [variable] {key} to {value} ${AT_APP} ${AGAIN}`),
      form(`(set|change) [the] [variable] {key} ${AT_APP} to {value} ${AGAIN}`),
      form(`(on|for|in) {app} set {settings} ${AGAIN}`),
      form(`{settings} ${AT_APP} ${AGAIN}`),
    ],
    app: "needed",
    says: (app, slots) => `set ${Object.keys(variablesOf(slots)).join(", ")} of ${app}${WHEN_IT_APPLIES(slots)}`,
    calls: (app, slots) => [
      { tool: "set_variables", input: { app, variables: variablesOf(slots) } },
      ...deployAgain(app, slots),
    ],
    // Its value is hidden before the sentence is understood, so it is completed up to there.
    examples: (app) => [`set LOG_LEVEL=«value 1» on ${app} and redeploy`],
  },
  {
    forms: [
      form(`(delete|remove|unset|drop) [the] [(variable|env)] {key} ${AT_APP} ${AGAIN}`),
      form(`(delete|remove|unset|drop) [the] variable {name} ${AT_APP} ${AGAIN}`),
    ],
    app: "needed",
    says: (app, slots) => `delete the variable ${keyOf(slots)} of ${app}${WHEN_IT_APPLIES(slots)}`,
    calls: (app, slots) => [
      { tool: "delete_variable", input: { app, variable: keyOf(slots) } },
      ...deployAgain(app, slots),
    ],
    examples: (app) => [`delete variable LOG_LEVEL of ${app}`],
  },
  {
    forms: [
      form(
        "[(list|show|show me|which)] [the] (variables|env|environment|vars) [are there] [(of|for|on|in)] [the] [app] [{app}]",
      ),
      form("{app} (variables|env)"),
    ],
    app: "needed",
    says: (app) => `the names of the variables of ${app}`,
    calls: (app) => [{ tool: "list_variables", input: { app } }],
    examples: (app) => [`variables of ${app}`],
  },
  {
    forms: [
      ...["roll [(it|this)] back", "roll {app} back", `${BACK} [(it|this)]`, `${BACK} [the] [app] {app}`].flatMap(
        (begun) => [
          form(begun),
          form(`${begun} to [the] ${BEFORE}`),
          form(`${begun} to [the] [(release|version)] {release}`),
        ],
      ),
      form(`${BACK} [the] [last] (deploy|deployment|release) [of] [the] [app] [{app}]`),
    ],
    app: "needed",
    says: (app, { release }) => `roll ${app} back to ${release ?? "the release before"}`,
    calls: (app, { release }) => [{ tool: "roll_back", input: { app, ...(release !== undefined && { release }) } }],
    examples: (app) => [`roll ${app} back`, `roll ${app} back to v1`],
  },
  {
    forms: [
      form(`[(list|show|show me|which)] [the] [custom] (domain|domains) ${OF_APP}`),
      form("{app} (domain|domains)"),
    ],
    app: "needed",
    says: (app) => `the domains of ${app}`,
    calls: (app) => [{ tool: "list_domains", input: { app } }],
    examples: (app) => [`domains of ${app}`],
  },
  {
    forms: [form("(add|attach|connect) [the] [domain] {domain} [(to|on|for) [the] [app] {app}]")],
    app: "needed",
    says: (app, { domain = "" }) => `attach ${domain.toLowerCase()} to ${app}`,
    calls: (app, { domain = "" }) => [{ tool: "add_domain", input: { app, domain: domain.toLowerCase() } }],
    examples: (app) => [`add domain shop.example.com to ${app}`],
  },
  actIntent("start", "(start|resume|unpause)"),
  actIntent("stop", "(stop|pause|halt|shut down)"),
  actIntent("restart", "(restart|reboot|bounce)"),
  {
    forms: [form("(activity|audit|audit log|who did what)"), form("[show] [me] [the] activity")],
    app: "none",
    says: () => "who did what",
    calls: () => [{ tool: "read_activity", input: {} }],
    examples: () => ["who did what?"],
  },
];

function actIntent(action: "start" | "stop" | "restart", verbs: string): Intent {
  return {
    forms: [form(`${verbs} [the] [app] {app} [(now|again)]`), form(`${verbs} [(it|this|the app)] [(now|again)]`)],
    app: "needed",
    says: (app) => `${action} ${app}`,
    calls: (app) => [{ tool: "act_on_app", input: { app, action } }],
    examples: (app) => [`${action} ${app}`],
  };
}

function deployAgain(app: string, { again }: Slots): Call[] {
  return again === undefined ? [] : [{ tool: "deploy", input: { app } }];
}

const releaseOf = ({ release, numbered }: Slots): string | undefined => release ?? numbered;

const keyOf = ({ key, name }: Slots): string => key ?? name ?? "";

function variablesOf({ settings = "", key, value }: Slots): Record<string, string> {
  if (key !== undefined && value !== undefined) return { [key]: value };
  const pairs = settings.matchAll(/([A-Za-z_]\w*)=(\u00abvalue [0-9]+\u00bb)/g);
  return Object.fromEntries([...pairs].map(([, name, placeholder]) => [name!, placeholder!]));
}
