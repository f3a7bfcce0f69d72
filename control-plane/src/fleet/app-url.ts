export interface AppsAddress {
  appsDomain: string;
  /** Appended when it is not the default one of https. */
  appsHttpsPort: number;
}

/** Returns the part after the app's name in its URL. */
export function appUrlSuffix({ appsDomain, appsHttpsPort }: AppsAddress): string {
  return `.${appsDomain}${appsHttpsPort === 443 ? "" : `:${appsHttpsPort}`}`;
}

/** `https://<name>.{apps_domain}`. */
export function appUrl(name: string, address: AppsAddress): string {
  return `https://${name}${appUrlSuffix(address)}`;
}
