/**
 * The agent as a process of its own that a test can kill at any moment: `node agent-child.ts <data directory>`. Its
 * step writes numbered lines without end. Prints the port that it listens on, once it is ready.
 */
import { setImmediate as turn } from "node:timers/promises";
import { startAgentInProcess } from "./agent-in-process.ts";

const agent = await startAgentInProcess(process.argv[2]!, { listen: { host: "127.0.0.1", port: 0 } });
agent.script.run = async ({ output, signal }) => {
  for (let line = 0; !signal.aborted; line += 1) {
    output.log(`line ${line}`);
    if (line % 10 === 0) await turn();
  }
  throw signal.reason;
};
process.stdout.write(`${agent.listen!.port}\n`);
