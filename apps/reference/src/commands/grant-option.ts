import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
import { TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'
import { parseSettings } from '../settings/settings.ts'
import { refuse } from './command-line.ts'

/** The values of `--grant`, and the setting that the service needs for each. */
const GRANTS: Readonly<Record<string, { types: readonly string[]; setting: GrantSetting; on: string }>> = {
  device: { types: [DEVICE_CODE_GRANT, 'refresh_token'], setting: 'DEVICE_GRANT', on: 'integrations' },
  client_credentials: { types: ['client_credentials'], setting: 'CLIENT_CREDENTIALS', on: 'on' },
  token_exchange: { types: [TOKEN_EXCHANGE], setting: 'TOKEN_EXCHANGE', on: 'on' },
}
type GrantSetting = 'DEVICE_GRANT' | 'CLIENT_CREDENTIALS' | 'TOKEN_EXCHANGE'

/**
 * The `grant_types` of an integration; `undefined` for the default. An integration with a redirect URI also has the
 * authorization code grant.
 */
export function grantTypesOf(
  usage: string,
  grants: readonly string[],
  redirectUris: readonly string[],
): string[] | undefined {
  if (grants.length === 0) return undefined
  const named = grants.flatMap((grant) => requiredGrant(usage, grant).types)
  const usual = redirectUris.length === 0 ? [] : ['authorization_code', 'refresh_token']
  return [...new Set([...usual, ...named])]
}

function requiredGrant(usage: string, grant: string) {
  const known = GRANTS[grant]
  if (known === undefined) refuse(usage, `--grant must be ${Object.keys(GRANTS).join(' or ')}.`)
  if (parseSettings(process.env)[known.setting] === 'off')
    refuse(usage, `--grant ${grant} needs ${known.setting}=${known.on}.`)
  return known
}
