import type { StaticClient } from '@grantkit/core'
import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
import { JWT_BEARER } from '@grantkit/core/jwt-bearer'
import { TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'
import * as z from 'zod'
import type { Config } from '../config/config.ts'
import { takesAssertions } from '../config/jwt-bearer.ts'
import { readTextFile } from '../config/text-file.ts'
import { UsageError, wholeNumber } from './command-line.ts'

/** What `clients add` and `clients update` have in common. */

/** How a client hears of the end of sessions. */
export const SESSION_ARGS = {
  'backchannel-logout-uri': {
    type: 'string',
    valueHint: 'https URI',
    description: 'where the server tells it that a session has ended, with BACK_CHANNEL_LOGOUT=on',
  },
  'backchannel-logout-session-required': {
    type: 'boolean',
    description: 'each of these messages must name the session',
  },
  'session-bound': {
    type: 'boolean',
    description: 'its grants end with the session, except those with offline_access',
  },
} as const

/** The limits of a client. */
export const LIMIT_ARGS = {
  'tokens-per-minute': {
    type: 'string',
    valueHint: 'number',
    description: 'how many tokens it may get in a minute; default: no limit',
  },
  'grants-per-hour': {
    type: 'string',
    valueHint: 'number',
    description: 'how many new grants it may get tokens for in an hour; default: no limit',
  },
} as const

type LimitOptions = { readonly [Option in keyof typeof LIMIT_ARGS]?: string | undefined }

/** @throws UsageError */
export function limitsOf(options: LimitOptions) {
  const number = (option: keyof LimitOptions) => {
    const text = options[option]
    return text === undefined ? undefined : wholeNumber(`--${option}`, text)
  }
  return { tokensPerMinute: number('tokens-per-minute'), grantsPerHour: number('grants-per-hour') }
}

/** Options that count only where a feature is on. */
interface FeatureOptions {
  readonly 'post-logout-redirect-uri'?: string | undefined
  readonly 'backchannel-logout-uri'?: string | undefined
  readonly 'backchannel-logout-session-required'?: boolean | undefined
  readonly 'session-bound'?: boolean | undefined
  readonly push?: string | undefined
  readonly dpop?: boolean | undefined
}

/** @throws UsageError that names the variable of the feature that is off */
export function requireFeatures(
  options: FeatureOptions,
  { logout, backChannelLogout, par, dpop }: Config['features'],
): void {
  if (options['post-logout-redirect-uri'] !== undefined && !logout)
    throw new UsageError('--post-logout-redirect-uri needs LOGOUT=on.')
  const ofBackChannel = [
    ...[options['backchannel-logout-uri'], options['backchannel-logout-session-required']],
    options['session-bound'],
  ]
  if (ofBackChannel.some((value) => value !== undefined) && !backChannelLogout)
    throw new UsageError('--backchannel-logout-uri and --session-bound need BACK_CHANNEL_LOGOUT=on.')
  if (options.push === 'required' && par === 'off') throw new UsageError('--push needs PAR=on.')
  if (options.dpop && dpop.mode === 'off') throw new UsageError('--dpop needs DPOP=on.')
}

interface ClientOptions {
  readonly grants: readonly string[]
  readonly redirectUris: readonly string[]
  readonly scope?: string | undefined
  readonly auth?: string | undefined
  readonly public?: boolean | undefined
}

/**
 * A static client with client credentials. A client that also signs users in is a second client, with another id.
 *
 * @throws UsageError
 */
export function clientCredentialsClient(
  features: Config['features'],
  options: ClientOptions,
): Omit<StaticClient, 'clientName'> {
  const { grants, scope, auth, redirectUris } = options
  const grantTypes = grantTypesOf(features, grants, [])
  if (grants.length > 1)
    throw new UsageError('client_credentials cannot be combined with another --grant: add two integrations.')
  if (scope === undefined)
    throw new UsageError('--scope is required: it lists everything that the client can do.')
  if (options.public)
    throw new UsageError('client_credentials needs client authentication: it cannot be --public.')
  if (redirectUris.length > 0)
    throw new UsageError('client_credentials has no redirect: leave out --redirect-uri.')
  return {
    redirectUris: [],
    grantTypes,
    clientCredentialsScopes: scope.split(' '),
    tokenEndpointAuthMethod: auth ?? 'client_secret_basic',
  }
}

const KeySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())) })

/** @throws Error that names the file without its content, which may be a private key */
export async function readKeySet(path: string): Promise<z.output<typeof KeySet>> {
  const text = await readTextFile(path)
  try {
    return KeySet.parse(JSON.parse(text))
  } catch {
    throw new Error(`${path} is not a JSON Web Key set: {"keys": […]}`)
  }
}

interface GrantOption {
  readonly types: readonly string[]
  readonly needs: string
  readonly isOn: (features: Config['features']) => boolean
}

/** The values of `--grant`, and the variable that the service needs for each. */
const GRANTS: Readonly<Record<string, GrantOption>> = {
  device: {
    types: [DEVICE_CODE_GRANT, 'refresh_token'],
    needs: 'DEVICE_GRANT=integrations',
    isOn: ({ device }) => device !== 'off',
  },
  client_credentials: {
    types: ['client_credentials'],
    needs: 'CLIENT_CREDENTIALS=on',
    isOn: ({ clientCredentials }) => clientCredentials,
  },
  jwt_bearer: {
    types: [JWT_BEARER],
    needs: 'features.jwtBearer',
    isOn: takesAssertions,
  },
  token_exchange: {
    types: [TOKEN_EXCHANGE],
    needs: 'TOKEN_EXCHANGE=on',
    isOn: ({ tokenExchange }) => tokenExchange,
  },
}

/**
 * The `grant_types` of a static client; `undefined` for the default. A client with a redirect URI also has the
 * authorization code grant.
 *
 * @throws UsageError
 */
export function grantTypesOf(
  features: Config['features'],
  grants: readonly string[],
  redirectUris: readonly string[],
): string[] | undefined {
  if (grants.length === 0) return undefined
  const named = grants.flatMap((grant) => requiredGrant(features, grant).types)
  const usual = redirectUris.length === 0 ? [] : ['authorization_code', 'refresh_token']
  return [...new Set([...usual, ...named])]
}

function requiredGrant(features: Config['features'], grant: string) {
  const known = GRANTS[grant]
  if (known === undefined) throw new UsageError(`--grant must be ${Object.keys(GRANTS).join(' or ')}.`)
  if (!known.isOn(features)) throw new UsageError(`--grant ${grant} needs ${known.needs}.`)
  return known
}
