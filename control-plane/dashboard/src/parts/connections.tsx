import type { Connection, Connections as Ways, Person, Provider } from "../client/answers.ts";
import { ask } from "../client/ask.ts";
import { Form } from "./form.tsx";
import { Show, useLoaded } from "./loaded.tsx";
import { useNotice } from "./notice.tsx";
import { passwordFields, proofOf } from "./proof-fields.ts";
import { ProviderRefusal } from "./provider-links.tsx";

/** Connects the account to providers that sign people in, and disconnects it. */
export function Connections({ person, load }: { person: Person; load: () => Promise<Ways> }) {
  const ways = useLoaded(load);
  const { say, notice } = useNotice();
  const { providers = [], connections = [] } = ways.value ?? {};
  if (ways.value !== undefined && providers.length + connections.length === 0) return null;

  const free = providers.filter(({ id }) => !connections.some(({ provider }) => provider === id));
  const owner = { account: person.email, fields: passwordFields(person) };

  async function connect({ id }: Provider, values: FormData) {
    const body = { provider: id, ...proofOf(values) };
    location.assign((await ask<{ redirect_to: string }>("POST", "/auth/connections", { body })).redirect_to);
  }
  async function disconnect({ id, name }: Connection, values: FormData) {
    await ask("POST", `/auth/connections/${id}/remove`, { body: proofOf(values) });
    await ways.reload();
    say(`${name} is disconnected, and all other sessions were ended.`);
  }
  return (
    <section aria-labelledby="connections">
      <h2 id="connections">Sign in with a provider</h2>
      <ProviderRefusal />
      {notice}
      <Show of={ways}>
        {() => (
          <>
            {!person.has_password && (
              <p>
                You have no password. <a href="/forgot">Set one by mail</a>
              </p>
            )}
            {connections.map((connection) => (
              <div key={connection.id}>
                <p>{connection.name} is connected: it signs you in.</p>
                <Form
                  {...owner}
                  isDangerous
                  action={`Disconnect ${connection.name}`}
                  submit={(values) => disconnect(connection, values)}
                />
              </div>
            ))}
            {free.map((provider) => (
              <Form
                {...owner}
                key={provider.id}
                action={`Connect ${provider.name}`}
                submit={(values) => connect(provider, values)}
              />
            ))}
          </>
        )}
      </Show>
    </section>
  );
}
