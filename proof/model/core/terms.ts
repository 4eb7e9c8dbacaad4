/** The lifetimes of proof/model/grant.qnt. */
import type { GrantTerms } from '../../../packages/core/src/grants/grant-terms.ts'
import type { Client } from '../../../packages/core/src/kernel/records.ts'
import type { GrantId, Secret } from '../../../packages/core/src/kernel/secrets.ts'
import { sha256, successorKeys } from '../../../packages/core/src/kernel/secrets.ts'

/** Epoch seconds of the model's time 0. */
const START = 1_800_000_000
/** Seconds: a twelfth of the 15 minutes after which no answer is repeated. */
const UNIT = 75
/** Units. */
export const MODEL = {
  ...{ code: 2, window: 4, late: 12, access: 5, idle: 16, grant: 24 },
  /** For how long after its approval the id of a grant stays taken. */
  ticket: 4,
  /** When the code of a device ends, and when the id of its grant is free. */
  ...{ device: 3, forgotten: 8 },
  skew: 1,
} as const

export const seconds = (units: number): number => START + units * UNIT
export const units = (time: number): number => (time - START) / UNIT

export const LIFETIMES = { code: MODEL.code * UNIT, grant: MODEL.grant * UNIT }
export const TERMS: GrantTerms = {
  accessToken: MODEL.access * UNIT,
  refreshToken: MODEL.idle * UNIT,
  refreshRetryWindow: MODEL.window * UNIT,
  // The model has no limit.
  maxAccessTokens: 100,
}

const KEYS = successorKeys('a secret of the model, long enough to pass')
export const VERIFIER = 'v'.repeat(43)
export const CHALLENGE = sha256(VERIFIER)
export const CODE = 'code' as Secret
export const DEVICE_CODE = {
  text: 'device code',
  code: { requestId: 'request', grantId: 'grant' as GrantId, secret: CODE },
}
export const FAMILY = 'family'
const REDIRECT_URI = 'http://127.0.0.1/callback'

const CLIENT: Client = {
  clientId: 'owner',
  origin: 'registered',
  applicationType: 'native',
  redirectUris: [REDIRECT_URI],
  tokenEndpointAuthMethod: 'none',
  grantTypes: ['authorization_code', 'refresh_token'],
  idTokenSignedResponseAlg: 'RS256',
  createdAt: START,
  expiresAt: START + 1_000_000,
}

export const APPROVAL = {
  subject: 'alice',
  clientId: CLIENT.clientId,
  scopes: ['a'],
  resources: [],
  authTime: START,
  redirectUri: REDIRECT_URI,
  challenge: CHALLENGE,
  code: CODE,
}

/** What each request of the model has in common. */
export const REQUEST = {
  client: CLIENT,
  resources: [],
  knownResources: ['https://server.example'],
  redirectUri: REDIRECT_URI,
  scope: undefined,
  keys: KEYS,
}
