import type { Connection, Connections as Ways, Provider } from "../client/answers.ts";
import { ask } from "../client/ask.ts";
import { Form, textOf, type Field } from "./form.tsx";
import { Show, useLoaded } from "./loaded.tsx";
import { useNotice } from "./notice.tsx";
import { ProviderRefusal } from "./provider-links.tsx";

const PASSWORD: Field = {
  name: "password",
  label: "Current password",
  type: "password",
  autocomplete: "current-password",
};

/** Connects the account to providers that sign people in, and disconnects it. */
export function Connections({ email }: { email: string }) {
  const ways = useLoaded(() => ask<Ways>("GET", "/auth/connections"));
  const { say, notice } = useNotice();
  const { providers = [], connections = [], password = true } = ways.value ?? {};
  if (ways.value !== undefined && providers.length + connections.length === 0) return null;

  const free = providers.filter(({ id }) => !connections.some(({ provider }) => provider === id));
  const owner = { account: email, fields: password ? [PASSWORD] : [] };
  const proof = (values: FormData) => (password ? { password: textOf(values, "password") } : {});

  async function connect({ id }: Provider, values: FormData) {
    const body = { provider: id, ...proof(values) };
    location.assign((await ask<{ redirect_to: string }>("POST", "/auth/connections", { body })).redirect_to);
  }
  async function disconnect({ id, name }: Connection, values: FormData) {
    await ask("POST", `/auth/connections/${id}/remove`, { body: proof(values) });
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
            {!password && (
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
