import { useSignal } from "@preact/signals";
import { loaded } from "../../client/present-page.ts";
import type { CommandList, CommandsProps } from "./command-list.tsx";

/** Shows how the page's actions are done from a terminal; the list is loaded when somebody asks. */
export function Commands(props: CommandsProps) {
  const list = useSignal<{ CommandList: typeof CommandList } | undefined>(undefined);
  const refusal = useSignal("");
  async function load() {
    refusal.value = "";
    try {
      list.value ??= await loaded(import("./command-list.tsx"));
    } catch {
      refusal.value = "The commands could not be loaded. Load the page again when the service is there.";
    }
  }
  return (
    <details class="commands" onToggle={() => void load()}>
      <summary>The same from a terminal</summary>
      <p role="alert" class="refusal">
        {refusal.value}
      </p>
      {list.value !== undefined && <list.value.CommandList {...props} />}
    </details>
  );
}
