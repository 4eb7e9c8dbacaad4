import { type Configuration, fetchProtectedResource, type ServerMetadata } from 'openid-client'
import type { Provider } from '../../config/providers.ts'
import type { Claims, ProviderClaims } from './address.ts'

/** Providers without OpenID Connect: OAuth 2.0, and an API that says who the user is. */
interface AccountApi {
  /** What a discovery document would say. @param issuer of the settings, without a slash at its end */
  metadata(issuer: string): ServerMetadata
  /** In the words of OpenID Connect. @throws Error if the API does not respond as documented */
  claims(get: Get, issuer: string, withOrganizations: boolean): Promise<Claims>
}

/** Reads a resource of the user as JSON. */
type Get = (url: string) => Promise<unknown>

export const ACCOUNT_APIS: Readonly<Record<Exclude<Provider['protocol'], 'openid'>, AccountApi>> = {
  /** GitHub, and GitHub Enterprise Server, whose issuer is its origin. */
  github: {
    metadata(issuer) {
      const oauth = isGitHubItself(issuer) ? issuer : `${issuer}/login/oauth`
      return {
        issuer: oauth,
        authorization_endpoint: `${oauth}/authorize`,
        token_endpoint: `${oauth}/access_token`,
        token_endpoint_auth_methods_supported: ['client_secret_post'],
      }
    },
    async claims(get, issuer, withOrganizations) {
      const api = isGitHubItself(issuer) ? 'https://api.github.com' : `${issuer}/api/v3`
      const user = recordOf(await get(`${api}/user`))
      // `email` of the user is what the user shows, and not verified.
      const addresses = await get(`${api}/user/emails?per_page=100`)
      if (!Array.isArray(addresses)) throw new Error('/user/emails is no list')
      const primary = addresses.map(recordOf).find((address) => address.primary === true)
      return {
        sub: idOf(user.id),
        name: user.name ?? user.login,
        email: primary?.email,
        email_verified: primary?.verified,
        // With the scope `read:org`. An organization can hide itself from applications.
        ...(withOrganizations && { organizations: namesIn(await get(`${api}/user/orgs?per_page=100`)) }),
      }
    },
  },
  discord: {
    metadata: (issuer) => ({
      issuer,
      authorization_endpoint: `${issuer}/oauth2/authorize`,
      token_endpoint: `${issuer}/api/oauth2/token`,
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    }),
    async claims(get, issuer) {
      const user = recordOf(await get(`${issuer}/api/users/@me`))
      return {
        sub: idOf(user.id),
        name: user.global_name ?? user.username,
        email: user.email,
        email_verified: user.verified,
      }
    },
  },
}

function isGitHubItself(issuer: string): boolean {
  return issuer === 'https://github.com/login/oauth'
}

/** The issuer of the identity is that of the settings: one key for one person, whatever host the API has. */
export async function claimsOfApi(
  { claims }: AccountApi,
  configuration: Configuration,
  accessToken: string,
  provider: Provider,
): Promise<ProviderClaims> {
  const { issuer } = provider
  const headers = new Headers({ accept: 'application/json' })
  const get = async (url: string) => {
    const response = await fetchProtectedResource(
      configuration,
      accessToken,
      new URL(url),
      'GET',
      undefined,
      headers,
    )
    if (response.status !== 200) throw new Error(`${new URL(url).pathname} responded ${response.status}`)
    return response.json()
  }
  const said = await claims(get, issuer.replace(/\/$/, ''), asksForOrganizations(provider))
  return { issuer, subject: String(said.sub), idToken: said }
}

function asksForOrganizations({ signUp, require }: Provider): boolean {
  return [signUp, require].some((rule) => typeof rule === 'object' && rule.organizations !== undefined)
}

function namesIn(organizations: unknown): unknown[] {
  if (!Array.isArray(organizations)) throw new Error('/user/orgs is no list')
  return organizations.map((organization) => recordOf(organization).login)
}

function recordOf(value: unknown): Claims {
  if (typeof value !== 'object' || value === null) throw new Error('The API responded with no object')
  return value as Claims
}

/** A name can be given to another person, an id cannot. */
function idOf(id: unknown): string {
  const text = typeof id === 'number' ? String(id) : id
  if (typeof text !== 'string' || !/^\d+$/.test(text)) throw new Error('The API named no id of the user')
  return text
}
