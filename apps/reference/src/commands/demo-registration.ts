import * as oidc from 'openid-client'

/** Discovery options of the demonstration. The server may be on localhost. */
export const DISCOVERY = { algorithm: 'oauth2' as const, execute: [oidc.allowInsecureRequests] }

/** Registers the demonstration as a public client. */
export function registerDemo(
  baseUrl: string,
  metadata: Partial<oidc.ClientMetadata>,
): Promise<oidc.Configuration> {
  const usual = {
    client_name: 'Grantkit demo',
    application_type: 'native',
    token_endpoint_auth_method: 'none',
  }
  return oidc.dynamicClientRegistration(new URL(baseUrl), { ...usual, ...metadata }, oidc.None(), DISCOVERY)
}
