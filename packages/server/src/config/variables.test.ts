import { expect, it } from 'vitest'
import { parseConfig } from './config.ts'
import { at } from './problems.ts'
import { knownFields, variablesOf } from './variables.ts'

const DAY = 24 * 60 * 60

/** The variables of the release before there was a configuration file, with their fields and defaults. */
const RELEASED: readonly (readonly [variable: string, key: string, byDefault: unknown])[] = [
  ['NODE_ENV', 'mode', 'development'],
  ['PORT', 'port', 3000],
  ['HOST', 'host', '127.0.0.1'],
  ['BASE_URL', 'baseUrl', 'http://127.0.0.1:3000'],
  ['STORE_URL', 'store', 'sqlite:/srv/.grantkit/service-grants.sqlite'],
  ['DATABASE_URL', 'database', 'sqlite:/srv/.grantkit/service.sqlite'],
  ['POSTGRES_PREPARE', 'postgresPrepare', true],
  ['WAIT_REPLICAS', 'waitReplicas', 0],
  ['SECRET', 'secret', undefined],
  ['SECRET_PREVIOUS', 'previousSecret', undefined],
  ['KEYS_FILE', 'keysFile', undefined],
  ['ACCOUNTS_FILE', 'accountsFile', undefined],
  ['UPSTREAM_FILE', 'upstreamFile', undefined],
  ['CIMD', 'features.clientDocuments.enabled', true],
  ['CIMD_PINNED', 'features.clientDocuments.pinned', undefined],
  ['CIMD_ADMIT', 'features.clientDocuments.admit', []],
  ['CIMD_TEST_CA', 'features.clientDocuments.testCa', undefined],
  ['CIMD_TEST_RESOLVE', 'features.clientDocuments.testResolve', {}],
  ['CLIENT_AUTHENTICATION', 'features.clientAuthentication', ['none', 'client_secret_post']],
  ['CLIENT_CREDENTIALS', 'features.clientCredentials', false],
  ['REGISTRATION', 'features.registration', true],
  ['ID_TOKEN_CLAIMS', 'features.idTokenClaims', false],
  ['LOGOUT', 'features.logout', false],
  ['DEVICE_GRANT', 'features.device', 'off'],
  ['PASTED_CALLBACKS', 'features.pastedCallbacks', false],
  ['DPOP', 'features.dpop.mode', 'off'],
  ['DPOP_REPLAY', 'features.dpop.replay', 'window'],
  ['FORWARD_AUTH', 'features.forwardAuth.enabled', false],
  ['FORWARD_AUTH_CLIENT_CREDENTIALS', 'features.forwardAuth.clientCredentials', false],
  ['FORWARD_AUTH_ORIGIN', 'features.forwardAuth.origin', undefined],
  ['JWT_ACCESS_TOKENS', 'features.jwtAccessTokens.enabled', false],
  ['JWT_ACCESS_TOKEN_LIFETIME', 'features.jwtAccessTokens.lifetime', 300],
  ['PAR', 'features.par', 'off'],
  ['PROFILE', 'features.profile', undefined],
  ['TOKEN_EXCHANGE', 'features.tokenExchange', false],
  ['RATE_LIMITS', 'limits', true],
  ['TRUST_PROXY', 'trustProxy', undefined],
  ['DEFAULT_SCOPE', 'defaultScope', undefined],
  ['AUDIT_DAYS', 'auditDays', 365],
  ['DRAIN_SECONDS', 'drainSeconds', 5],
  ['METRICS_PORT', 'metricsPort', undefined],
  ['LOG_LEVEL', 'logLevel', 'info'],
  ['CODE_LIFETIME', 'lifetimes.code', 60],
  ['ACCESS_TOKEN_LIFETIME', 'lifetimes.accessToken', 3600],
  ['REFRESH_TOKEN_LIFETIME', 'lifetimes.refreshToken', 30 * DAY],
  ['GRANT_LIFETIME', 'lifetimes.grant', 180 * DAY],
  ['UNUSED_CLIENT_LIFETIME', 'lifetimes.unusedClient', DAY],
  ['REFRESH_RETRY_WINDOW', 'lifetimes.refreshRetryWindow', 60],
]

it.each(RELEASED)('%s still sets %s, with the same default', (variable, key, byDefault) => {
  expect(knownFields().find(({ info }) => info.variable === variable)?.key).toBe(key)
  expect(at(parseConfig({ folder: '/srv' }), key.split('.'))).toEqual(byDefault)
})

it('lists a secret as a variable, and as one that names a file', () => {
  expect(variablesOf(knownFields())).toEqual(expect.arrayContaining(['SECRET', 'SECRET_FILE', 'PORT']))
  expect(variablesOf(knownFields())).not.toContain('PORT_FILE')
})
