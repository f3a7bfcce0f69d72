import type { ComponentType } from "preact";
import type { Person } from "../../client/answers.ts";
import { openPersonalPage } from "../open-page.tsx";

/** Shows a page to operators. It is the API that keeps others out; this one says so in words. */
export function openOperatorPage(title: string, Content: ComponentType<{ person: Person }>): void {
  function Guarded({ person }: { person: Person }) {
    if (person.operator) return <Content person={person} />;
    return <p>This page is for operators of the service. Whoever administers its machine can make you one.</p>;
  }
  void openPersonalPage(title, Guarded);
}
