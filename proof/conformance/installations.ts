/**
 * The two installations of the reference service that the suite of the OpenID Foundation tests: their settings, and the
 * clients that the operator adds with `clients add`. docs/openid-suite.md says why.
 */

export interface Addresses {
  readonly issuer: string
  /** The origin of the suite. */
  readonly suite: string
  /** Is in the callbacks of the suite. Modules of one alias run one after the other. */
  readonly alias: string
  /** The origin of the gateway in the Caddyfile, whose resource the FAPI plans request. */
  readonly gateway: string
}

/** A client as the operator adds it. */
export interface ClientToAdd {
  /** Arguments of `clients add`, without its name and its keys. */
  readonly args: (addresses: Addresses) => readonly string[]
  /** It authenticates with a key of this algorithm, not with a secret. */
  readonly alg?: 'ES256' | 'PS256'
}

export interface Installation {
  readonly issuer: string
  readonly port: number
  readonly settings: (addresses: Addresses) => Readonly<Record<string, string>>
  readonly clients: Readonly<Record<string, ClientToAdd>>
}

export const SUITE = 'https://suite.example.com'
export const GATEWAY = 'https://gateway.example.com'

/** An address of the suite for the running module. */
export const at = ({ suite, alias }: Addresses, path: string) => `${suite}/test/a/${alias}/${path}`

const callback = (to: Addresses, query = '') => ['--redirect-uri', at(to, `callback${query}`)]

/** A confidential client without PKCE and nonce, as the Basic plan has one; its consent is remembered: `prompt=none` gets a code. */
const withSecret = (auth: string, to: Addresses) => [
  ...callback(to),
  ...['--pkce', 'optional', '--nonce', 'optional', '--auth', auth, '--remember-consent'],
  ...['--post-logout-redirect-uri', at(to, 'post_logout_redirect')],
]

const forItself = () => [
  ...['--grant', 'client_credentials', '--auth', 'private_key_jwt'],
  ...['--scope', 'courses:read'],
]

export const INSTALLATIONS = {
  openid: {
    issuer: 'https://openid.example.com',
    port: 3001,
    settings: ({ suite }) => ({
      CLIENT_AUTHENTICATION: 'none,client_secret_post,client_secret_basic',
      FORM_POST: 'on',
      LOGOUT: 'on',
      BACK_CHANNEL_LOGOUT: 'on',
      // The messages go to public addresses only; this name is the suite of this machine.
      CIMD_TEST_RESOLVE: `${new URL(suite).hostname}=127.0.0.1:${new URL(suite).port || '443'}`,
    }),
    clients: {
      client: { args: (to) => withSecret('client_secret_basic', to) },
      client2: { args: (to) => withSecret('client_secret_basic', to) },
      client_secret_post: { args: (to) => withSecret('client_secret_post', to) },
      // A client of its own: modules about other things would take its messages for an error.
      back_channel: {
        args: (to) => [
          ...withSecret('client_secret_basic', to),
          ...['--backchannel-logout-uri', at(to, 'backchannel_logout')],
        ],
      },
    },
  },
  fapi2: {
    issuer: 'https://fapi2.example.com',
    port: 3002,
    settings: ({ gateway }) => ({
      PROFILE: 'fapi2',
      DPOP_REPLAY: 'strict',
      CLIENT_CREDENTIALS: 'on',
      FORWARD_AUTH: 'on',
      FORWARD_AUTH_CLIENT_CREDENTIALS: 'on',
      FORWARD_AUTH_ORIGIN: gateway,
    }),
    clients: {
      client: { alg: 'ES256', args: (to) => callback(to) },
      client2: {
        alg: 'ES256',
        args: (to) => [...callback(to), ...callback(to, '?dummy1=lorem&dummy2=ipsum')],
      },
      // One module signs RS256 with it.
      rsa: { alg: 'PS256', args: (to) => callback(to) },
      service: { alg: 'ES256', args: forItself },
      service2: { alg: 'ES256', args: forItself },
      service_rsa: { alg: 'PS256', args: forItself },
    },
  },
} as const satisfies Record<string, Installation>

export type InstallationName = keyof typeof INSTALLATIONS

/** What every installation is started with, and its commands too. */
export function settingsOf(
  name: InstallationName,
  addresses: Addresses,
  folder: string,
): Record<string, string> {
  const { port, settings } = INSTALLATIONS[name]
  return {
    DATABASE_URL: `sqlite:${folder}/service.sqlite`,
    STORE_URL: `sqlite:${folder}/grants.sqlite`,
    HOST: '127.0.0.1',
    PORT: String(port),
    // The names of the suite are public ones, and lead to this machine.
    NODE_ENV: 'test',
    BASE_URL: addresses.issuer,
    TRUST_PROXY: 'loopback',
    RATE_LIMITS: 'off',
    ...settings(addresses),
  }
}
