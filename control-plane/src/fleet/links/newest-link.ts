import type { Transport } from "@connectrpc/connect";
import { agentAway } from "../agent-errors.ts";

/** Begins each call over the link that is the server's newest at that moment. */
export class NewestLink implements Transport {
  readonly #newest: () => Transport | undefined;

  /** @param newest undefined while the agent is away: the call fails with `agent_away` */
  constructor(newest: () => Transport | undefined) {
    this.#newest = newest;
  }

  unary: Transport["unary"] = async (...call) => this.#transport().unary(...call);

  stream: Transport["stream"] = async (...call) => this.#transport().stream(...call);

  #transport(): Transport {
    const transport = this.#newest();
    if (!transport) throw agentAway();
    return transport;
  }
}
