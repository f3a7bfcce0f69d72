import type { Plan } from "../../client/answers.ts";
import { shortCommit } from "../../text/deploy-state.ts";

/** Shows what a deploy will make, before anything is made. */
export function PlanView({ plan }: { plan: Plan }) {
  const { framework, reason, port, start, services, root, spec_file, notes, dockerfile, commit_sha } = plan;
  const facts = [
    ["Framework", `${framework}: ${reason}`],
    ["Port", port],
    ["Start", start ?? "as the base image says"],
    ["Database", services.map(({ name, version }) => `PostgreSQL ${version} (${name})`).join(", ") || null],
    ["Folder", root === "" ? null : root],
    ["Spec file", spec_file],
    ["Commit", shortCommit(commit_sha)],
  ] as const;
  return (
    <section aria-labelledby="plan">
      <h2 id="plan">What will be built</h2>
      <dl>
        {facts.flatMap(([name, value]) =>
          value === null ? [] : [<dt key={name}>{name}</dt>, <dd key={`${name} value`}>{value}</dd>],
        )}
      </dl>
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
