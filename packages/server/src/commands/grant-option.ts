import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
import { JWT_BEARER } from '@grantkit/core/jwt-bearer'
import { TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'
import type { Config } from '../config/config.ts'
import { takesAssertions } from '../config/jwt-bearer.ts'
import { UsageError } from './command-line.ts'

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
