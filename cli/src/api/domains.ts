import { answerOf, type Service } from "./client.ts";

/** The app's own domains, by name. @throws CliError */
export async function domainsOf(service: Service, name: string): Promise<string[]> {
  const read = service.rest.GET("/api/apps/{name}/domains", { params: { path: { name } } });
  return (await answerOf(service, read)).domains;
}
