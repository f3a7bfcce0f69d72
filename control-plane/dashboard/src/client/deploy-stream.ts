import { follow, linesOf, messageOf } from "./follow.ts";

interface DeployListener {
  onLines(lines: readonly string[]): void;
  /** A step or the deploy itself stands differently now. */
  onChange(): void;
  onConnection(isUp: boolean): void;
}

/** Follows a deploy from its first line on, until it has ended; returns what stops that. */
export function followDeploy(id: string, { onLines, onChange, onConnection }: DeployListener): () => void {
  const handlers = {
    log: (data: unknown) => onLines(linesOf(data)),
    progress: (data: unknown) => onLines(messageOf(data)),
    step: onChange,
    deploy: onChange,
    taken_back: onChange,
  };
  const onEnd = (sentence?: string) => {
    onConnection(true);
    if (sentence !== undefined) onLines([`[${sentence}]`]);
    onChange();
  };
  return follow(`/api/deploys/${id}/events`, handlers, { onConnection, onEnd });
}
