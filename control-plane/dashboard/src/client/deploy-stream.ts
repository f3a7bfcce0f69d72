import { follow, followAgain, leftOut, linesOf, messageOf } from "./follow.ts";

interface DeployListener {
  onLines(lines: readonly string[]): void;
  /** A step or the deploy itself stands differently now. */
  onChange(): void;
  onConnection(isUp: boolean): void;
  /** Whether nothing can come any more. */
  hasEnded(): boolean;
}

/** Follows a deploy from its first line on, until it has ended; returns what stops that. */
export function followDeploy(id: string, listener: DeployListener): () => void {
  const { onLines, onChange, onConnection } = listener;
  let shown = 0;
  /** A stream that is opened anew begins with what was shown: events have numbers. */
  const fresh = (handle: (data: unknown) => void) => (data: unknown, number: number) => {
    if (number <= shown) return;
    shown = number;
    handle(data);
  };
  const handlers = {
    log: fresh((data) => {
      const { lines, dropped } = linesOf(data);
      onLines([...leftOut(dropped), ...lines]);
    }),
    progress: fresh((data) => onLines(messageOf(data))),
    step: fresh(onChange),
    deploy: fresh(onChange),
    taken_back: fresh(onChange),
  };
  return followAgain((onEnd) =>
    follow(`/api/deploys/${id}/events`, handlers, {
      onConnection,
      onEnd() {
        onChange();
        if (!listener.hasEnded()) onEnd();
      },
    }),
  );
}
