import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { answerOf, api, done } from "../../client/api.ts";
import { appPath } from "../../client/page-path.ts";
import { Refusal } from "../../client/refusal.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { type AppPageProps, openAppPage } from "../../parts/app/app-page.tsx";
import { CopyButton } from "../../parts/copy/copy-button.tsx";
import { early } from "../../parts/early.ts";
import { Form, textOf } from "../../parts/form.tsx";
import { Facts } from "../../parts/lists/facts.tsx";
import { Found } from "../../parts/lists/found.tsx";
import { Show } from "../../parts/loaded.tsx";
import { useNotice } from "../../parts/notice.tsx";
import { useRefreshed } from "../../parts/refreshed.tsx";
import { certificateTerm, DOMAIN_SOON_MS } from "../../text/certificate-term.ts";
import { Time } from "../../parts/time.tsx";

interface TxtRecord {
  domain: string;
  name: string;
  value: string;
}

const path = { name: appPath(location.pathname).name };
/** Each look is a connection to the domain. The first one begins before the page draws the list. */
const looks = new Map<string, ReturnType<typeof lookAt>>();
const lookAt = (domain: string) =>
  early(() => answerOf(api.GET("/api/apps/{name}/domains/{domain}", { params: { path: { ...path, domain } } })));
const load = early(async () => {
  const { domains } = await answerOf(api.GET("/api/apps/{name}/domains", { params: { path } }));
  for (const domain of domains) if (!looks.has(domain)) looks.set(domain, lookAt(domain));
  return domains;
});

function Domains({ app }: AppPageProps) {
  const domains = useRefreshed(load);
  const wanted = useSignal<TxtRecord | undefined>(undefined);
  const { say, notice } = useNotice();

  async function add(values: FormData) {
    const domain = textOf(values, "domain").trim().toLowerCase();
    try {
      await done(api.POST("/api/apps/{name}/domains", { params: { path }, body: { domain } }));
    } catch (error) {
      wanted.value = txtRecordOf(domain, error);
      throw error;
    }
    wanted.value = undefined;
    await domains.reload();
    say(`${domain} was added. Its certificate is made now.`);
  }
  async function remove(domain: string) {
    await done(api.DELETE("/api/apps/{name}/domains/{domain}", { params: { path: { ...path, domain } } }));
    await domains.reload();
    say(`${domain} was removed.`);
  }

  return (
    <>
      {notice}
      <p>
        The app is always at <a href={app.url}>{app.url}</a>. Domains of your own lead to it as well.
      </p>
      <Show of={domains}>
        {(names) =>
          names.length === 0 ? (
            <p>There are no domains yet.</p>
          ) : (
            <Found all={names} nameOf={(domain) => domain}>
              {(found) => (
                <ul class="domains">
                  {found.map((domain) => (
                    <li key={domain}>
                      <h2>{domain}</h2>
                      <DomainState domain={domain} />
                      <ActionButton
                        label="Remove"
                        object={domain}
                        isDangerous
                        warning="It leads nowhere from then on."
                        act={() => remove(domain)}
                      />
                    </li>
                  ))}
                </ul>
              )}
            </Found>
          )
        }
      </Show>
      <section aria-labelledby="add">
        <h2 id="add">Add a domain</h2>
        {wanted.value !== undefined && <Records record={wanted.value} host={new URL(app.url).hostname} />}
        <Form
          action="Add the domain"
          submit={add}
          fields={[
            {
              name: "domain",
              label: "Domain",
              hint: "Such as shop.example.com. The records that it needs are shown then.",
            },
          ]}
        />
      </section>
    </>
  );
}

/** The records that are to be published before the domain can be added: one proves whose it is, the other leads it to the app. */
function Records({ record: { domain, name, value }, host }: { record: TxtRecord; host: string }) {
  return (
    <div class="secret" role="group" aria-label={`Records for ${domain}`}>
      <p>
        Make these records where the domain's names are managed, then add the domain again: it is not added until then.
        The first shows that {domain} is yours, the second leads it to the app. Asked for again, they stay the same.
      </p>
      <DnsRecord type="TXT" name={name} value={value} />
      <DnsRecord type="CNAME" name={domain} value={host} />
      <p>
        Where no CNAME can be, as at the top of a zone: A and AAAA records with the addresses of <code>{host}</code>.
      </p>
    </div>
  );
}

function DnsRecord({ type, name, value }: { type: string; name: string; value: string }) {
  return (
    <Facts
      of={{
        Type: type,
        Name: <Copied text={name} object={`the name of the ${type} record`} />,
        Value: <Copied text={value} object={`the value of the ${type} record`} />,
      }}
    />
  );
}

function Copied({ text, object }: { text: string; object: string }) {
  const code = useRef<HTMLElement>(null);
  return (
    <span class="row">
      <code ref={code}>{text}</code>
      <CopyButton key={text} text={text} object={object} shownIn={code} />
    </span>
  );
}

function txtRecordOf(domain: string, error: unknown): TxtRecord | undefined {
  if (!(error instanceof Refusal)) return undefined;
  const { txt_record: name, txt_value: value } = error.fields;
  return typeof name === "string" && typeof value === "string" ? { domain, name, value } : undefined;
}

/** The page is to tell within 10 s what a look finds. */
const EVERY_MS = 6_000;

/** Tells what a domain serves now, and what it still needs. The control plane opens a connection to it to find out. */
function DomainState({ domain }: { domain: string }) {
  const state = useRefreshed(looks.get(domain)!, EVERY_MS);
  return (
    <Show of={state}>
      {({ status, cert, detail, missing = [] }) => (
        <>
          {cert !== undefined && <Certificate issuer={cert.issuer} until={cert.not_after} />}
          {status === "pending" && missing.length === 0 && <p class="broken">It does not serve yet: {detail}</p>}
          {missing.map(({ part, detail: why }) => (
            <p key={part} class="broken">
              {why}
            </p>
          ))}
        </>
      )}
    </Show>
  );
}

/** Says until when the certificate is good; aloud when it has ended, or does so soon and was not renewed. */
function Certificate({ issuer, until }: { issuer: string; until: string }) {
  const term = certificateTerm(until, new Date(), DOMAIN_SOON_MS);
  if (term === "good") {
    return (
      <p>
        It serves with a certificate of {issuer}, good until <Time at={until} />.
      </p>
    );
  }
  return (
    <p class="broken">
      {term === "ended" ? "Its certificate has expired: browsers refuse it since" : "Its certificate ends soon, at"}{" "}
      <Time at={until} />. {issuer} has not renewed it.
    </p>
  );
}

void openAppPage("domains", Domains);
