import { useSignal } from "@preact/signals";
import { Choice } from "../parts/choice.tsx";
import { Commands } from "../parts/commands/commands.tsx";
import { FromPush } from "../parts/new-app/from-push.tsx";
import { FromRepository } from "../parts/new-app/from-repository.tsx";
import { FromTemplate } from "../parts/new-app/from-template.tsx";
import { openPersonalPage } from "../parts/open-page.tsx";

const SOURCES = [
  { value: "repository", text: "A git repository" },
  { value: "template", text: "A template" },
  { value: "push", text: "Push from my computer" },
] as const;

type Source = (typeof SOURCES)[number]["value"];

const FORMS: Readonly<Record<Source, () => preact.JSX.Element>> = {
  repository: FromRepository,
  template: FromTemplate,
  push: FromPush,
};

function NewApp() {
  const source = useSignal<Source>("repository");
  const Chosen = FORMS[source.value];
  return (
    <>
      <p>The platform recognises what is in a repository, builds it, and serves it at an address of its own.</p>
      <Choice
        label="Where the app comes from"
        options={SOURCES}
        value={source.value}
        onChoose={(chosen) => (source.value = chosen)}
      />
      <Chosen key={source.value} />
      <h2>From a terminal</h2>
      <p>
        Or run <code>svc up</code> in the folder of a project. <code>svc</code> comes from here:
      </p>
      <pre>
        npm install --global {location.origin}/cli/svc.tgz{"\n"}svc login {location.origin}
      </pre>
      <Commands page="new" />
    </>
  );
}

void openPersonalPage("New app", NewApp);
