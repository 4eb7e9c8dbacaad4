/** Facts of an attempt that show a fault when they stand next to each other. */
import type { StepEvent, StepName } from './sign-in-steps.ts'

/** A fact, for a row of a list. */
export interface Compared {
  readonly label: string
  readonly value: string
}

type Rows = Readonly<Record<string, string | number | undefined>>
type Comparison = (error: StepEvent, steps: readonly StepEvent[]) => Rows

const sentRedirectUri: Comparison = ({ redirectUri, expected }) => ({
  'redirect_uri sent': redirectUri,
  'redirect_uri expected': expected,
})
const sentResource: Comparison = ({ resource, expected }) => ({
  'resource sent': resource,
  'resource expected': expected,
})
const bothClients: Comparison = ({ clientId, expected }) => ({
  'client of the request': clientId,
  'issued to the client': expected,
})
const hostFault: Comparison = ({ clientId, fault }) => ({ document: clientId, fault })
const requestedScopes: Comparison = ({ scopes }, steps) => ({
  'scope requested': (scopes ?? earlier('requested', steps)?.scopes)?.join(' '),
})

/** Two uses of one credential: two tabs, a retry, or a thief. */
function bothUses(step: StepName): Comparison {
  return (error, steps) => {
    const uses = steps.filter((one) => one.step === step)
    const first = uses.findLast(({ outcome }) => outcome === 'ok')
    const second = uses.findLast(({ outcome }) => outcome !== 'ok') ?? error
    return {
      'first use': first && shownUse(first),
      'second use': shownUse(second),
      'seconds between': first && second.at - first.at,
    }
  }
}

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  redirect_uri_not_registered: sentRedirectUri,
  redirect_uri_not_accepted: sentRedirectUri,
  redirect_uri_refused: sentRedirectUri,
  known_client_off: ({ redirectUri, knownClient }) => ({ redirect_uri: redirectUri, entry: knownClient }),
  code_redirect_uri_mismatch: ({ redirectUri, expected }) => ({
    'redirect_uri of the authorization request': expected,
    'redirect_uri of the token request': redirectUri,
  }),
  resource_unknown: sentResource,
  resource_not_granted: sentResource,
  bearer_wrong_audience: ({ resource, expected }) => ({
    'resource of the token': expected,
    'resource of the API': resource,
  }),
  scope_unknown: requestedScopes,
  scope_not_registered: requestedScopes,
  bearer_scope_missing: (_, steps) => ({ 'scope allowed': earlier('allowed', steps)?.scopes?.join(' ') }),
  document_unreachable: hostFault,
  document_invalid: hostFault,
  document_refused: hostFault,
  client_keys_unreachable: hostFault,
  jwt_grant_rule: ({ fault }) => ({ 'the assertion': fault }),
  code_of_other_client: bothClients,
  device_code_of_other_client: bothClients,
  auth_req_id_of_other_client: bothClients,
  refresh_token_of_other_client: bothClients,
  code_expired: ({ at }, steps) => {
    const sentBack = earlier('sent_back', steps)
    return { 'seconds since the code was sent': sentBack && at - sentBack.at }
  },
  code_replayed: bothUses('code_redeemed'),
  device_code_replayed: bothUses('code_redeemed'),
  auth_req_id_replayed: bothUses('code_redeemed'),
  refresh_token_reused: bothUses('refreshed'),
  refresh_token_replaced: bothUses('refreshed'),
}

/** What to compare for this error; empty where nothing is known or nothing helps. */
export function comparedIn(error: StepEvent, steps: readonly StepEvent[]): readonly Compared[] {
  const rows = COMPARISONS[error.reason ?? '']?.(error, steps) ?? {}
  return Object.entries(rows).flatMap(([label, value]) =>
    value === undefined ? [] : [{ label, value: String(value) }],
  )
}

function earlier(step: StepName, steps: readonly StepEvent[]): StepEvent | undefined {
  return steps.findLast((one) => one.step === step && one.outcome === 'ok')
}

function shownUse({ at, network }: StepEvent): string {
  const time = new Date(at * 1000).toISOString()
  return network === undefined ? time : `${time} from ${network}`
}
