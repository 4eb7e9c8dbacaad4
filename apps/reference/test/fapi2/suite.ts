import { afterAll, afterEach, beforeAll, vi } from 'vitest'
import { type RunningService, runService } from '../service.ts'
import { Key } from './key.ts'
import { Party, REDIRECT_URI } from './party.ts'

/**
 * What the suite of the OpenID Foundation sends to a server of the FAPI 2.0 Security Profile (Final), with private_key_jwt and
 * dpop: two clients that the operator added, a request that each test changes, and the raw answers.
 */

/** The plan runs once without and once with OpenID Connect. */
export const VARIANTS = [
  { openid: 'plain_oauth', scope: 'profile courses:read' },
  { openid: 'openid_connect', scope: 'openid profile courses:read' },
] as const

/** Moves the clock of the service and of its clients. */
export function pass(seconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })
}

export interface Suite<Of extends Party = Party> {
  service: RunningService
  one: Of
  two: Of
}

type PartyClass<Of extends Party> = new (...of: ConstructorParameters<typeof Party>) => Of

/** The service with the profile, and its two clients, for the tests of a file. */
export function suite(environment?: Record<string, string>): Suite
export function suite<Of extends Party>(environment: Record<string, string>, made: PartyClass<Of>): Suite<Of>
export function suite(environment: Record<string, string> = {}, made: PartyClass<Party> = Party): Suite {
  const running = {} as Suite
  beforeAll(async () => {
    running.service = await runService({ PROFILE: 'fapi2', RATE_LIMITS: 'off', ...environment })
    running.one = await added(running.service, 'One', 'ES256', made)
    running.two = await added(running.service, 'Two', 'ES256', made)
  })
  afterAll(() => running.service.close())
  afterEach(() => void vi.useRealTimers())
  return running
}

export async function added<Of extends Party = Party>(
  { clients, baseUrl }: RunningService,
  client_name: string,
  alg = 'ES256',
  made = Party as PartyClass<Of>,
): Promise<Of> {
  const [key, proving] = await Promise.all([Key.of(alg), Key.of(alg)])
  const { clientId: client_id } = await clients.add({
    clientName: client_name,
    redirectUris: [REDIRECT_URI],
    jwks: { keys: [key.jwk] },
    rememberConsent: true,
  })
  return new made(baseUrl, client_id, key, proving)
}
