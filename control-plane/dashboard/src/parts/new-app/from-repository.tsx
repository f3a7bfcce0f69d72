import { useSignal } from "@preact/signals";
import { appNameLike } from "@svc/shared/rules/app-name.ts";
import type { Plan } from "../../client/answers.ts";
import { answerOf, api } from "../../client/api.ts";
import { Refusal } from "../../client/refusal.ts";
import { Form, textOf } from "../form.tsx";
import { NAME_FIELD, TeamField } from "./app-fields.tsx";
import { makeApp, teamHeader } from "./make-app.ts";
import { shortCommit } from "../../text/deploy-state.ts";
import { Facts } from "../lists/facts.tsx";

/** An app can be made all the same: what is missing is added to it, or comes back by itself. */
const NO_OBSTACLES: ReadonlySet<string> = new Set([
  "agent_away",
  "agent_too_old",
  "disk_full",
  "framework_unknown",
  "rate_limited",
  "repository_needs_credentials",
  "repository_unreachable",
  "step_timed_out",
]);

interface Chosen {
  repo_url: string;
  root: string;
  team: string;
  /** The plan, or the sentence that says why there is none. */
  plan: Plan | string;
}

/** Two steps: the repository, whose plan is shown, then the app. */
export function FromRepository() {
  const chosen = useSignal<Chosen | undefined>(undefined);
  /** The former choice, while another one is made. */
  const left = useSignal<Chosen | undefined>(undefined);

  async function choose(values: FormData) {
    const of = (name: string) => textOf(values, name).trim();
    const [repo_url, root, team] = [of("repo_url"), of("root"), of("team")];
    const body = { repo_url, ...(root === "" ? {} : { root }) };
    const asked = api.POST("/api/plan", { body, headers: teamHeader(team) });
    const plan = await answerOf(asked).catch((error: unknown) => {
      if (error instanceof Refusal && NO_OBSTACLES.has(error.code)) return error.message;
      throw error;
    });
    chosen.value = { repo_url, root, team, plan };
  }

  if (chosen.value !== undefined) {
    const leave = () => {
      left.value = chosen.value;
      chosen.value = undefined;
    };
    return <FromPlan chosen={chosen.value} leave={leave} />;
  }
  return (
    <Form
      action="Show the plan"
      submit={choose}
      isFocused
      fields={[
        {
          name: "repo_url",
          label: "Address of the repository",
          hint: "Such as https://github.com/you/hello. Nothing is made yet.",
          value: left.value?.repo_url ?? "",
        },
        {
          name: "root",
          label: "Folder of the app",
          hint: "Only for a repository of several apps.",
          isOptional: true,
          value: left.value?.root ?? "",
        },
      ]}
    >
      <TeamField />
    </Form>
  );
}

function FromPlan({ chosen, leave }: { chosen: Chosen; leave(): void }) {
  const { repo_url, root, team } = chosen;
  const plan = typeof chosen.plan === "string" ? undefined : chosen.plan;
  const keys = plan?.env ?? [];

  function make(values: FormData): Promise<void> {
    const given = keys.flatMap((key) => {
      const value = textOf(values, fieldOfVariable(key));
      return value === "" ? [] : [[key, value] as const];
    });
    return makeApp({
      name: textOf(values, "name").trim(),
      team,
      source: { repo_url, needs_database: values.has("needs_database"), ...(root === "" ? {} : { root }) },
      env: Object.fromEntries(given),
    });
  }

  return (
    <>
      {plan === undefined ? (
        <section class="attention" aria-label="No plan">
          <p>{String(chosen.plan)}</p>
          <p>The app can be made all the same; its settings take a deploy key, a framework and a port.</p>
        </section>
      ) : (
        <PlanView plan={plan} />
      )}
      <Form
        action="Make and deploy"
        submit={make}
        isFocused
        fields={[
          { ...NAME_FIELD, value: plan?.name ?? nameOf(repo_url) },
          ...keys.map((key) => ({
            name: fieldOfVariable(key),
            label: `Variable ${key}`,
            hint: "The spec file lists it. It can be set later too.",
            isOptional: true,
          })),
        ]}
      >
        {(plan?.services ?? []).length === 0 && (
          <p class="field">
            <label>
              <input type="checkbox" name="needs_database" /> With a PostgreSQL database
            </label>
          </p>
        )}
      </Form>
      <p>
        <button type="button" onClick={leave}>
          Choose another repository
        </button>
      </p>
    </>
  );
}

/** Names of variables are the user's own: none may be another field's. */
function fieldOfVariable(key: string): string {
  return `env ${key}`;
}

function nameOf(address: string): string {
  const last = address.replace(/\/+$/, "").split("/").at(-1) ?? "";
  return appNameLike(last.replace(/\.git$/, ""));
}

/** Shows what a deploy will make, before anything is made. */
function PlanView({ plan }: { plan: Plan }) {
  const { framework, reason, port, start, services, root, spec_file, notes, dockerfile, commit_sha } = plan;
  return (
    <section aria-labelledby="plan">
      <h2 id="plan">What will be built</h2>
      <Facts
        of={{
          Framework: `${framework}: ${reason}`,
          Port: port,
          Start: start ?? "as the base image says",
          Database: services.map(({ name, version }) => `PostgreSQL ${version} (${name})`).join(", ") || null,
          Folder: root || null,
          "Spec file": spec_file,
          Commit: shortCommit(commit_sha),
        }}
      />
      {notes.map((note) => (
        <p key={note} class="hint">
          {note}
        </p>
      ))}
      {"text" in dockerfile ? (
        <details>
          <summary>The Dockerfile that the platform writes for it</summary>
          <pre tabIndex={0} aria-label="Dockerfile">
            {dockerfile.text}
          </pre>
        </details>
      ) : (
        <p class="hint">
          It is built with the repository's own <code>{dockerfile.path}</code>.
        </p>
      )}
    </section>
  );
}
