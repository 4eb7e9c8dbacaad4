import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Account } from '../accounts/accounts.ts'
import type { RelyingParty } from '../config/relying-party.ts'
import { parseJson } from '../http/bodies-and-answers.ts'
import { type ChallengeOptions, challengesInCookies } from './challenges.ts'
import type { Passkey, PasskeyRows } from './passkey-rows.ts'
import { userHandle, webauthn } from './webauthn.ts'

/** The options for the browser, in the JSON of WebAuthn 5.1.8 and 5.1.9, and the cookie with the challenge. */
export interface StartedCeremony {
  readonly options: unknown
  readonly cookie: string
}

/** Registers a passkey for an account (WebAuthn 7.1). */
export interface RegistrationCeremony {
  begin(account: Account): Promise<StartedCeremony>
  /**
   * The new passkey, not stored yet. `undefined`: the response does not match a recent challenge of this browser and
   * account, or was used before.
   */
  verify(cookies: string | undefined, account: Account, answer: string): Promise<Made | undefined>
}

type Made = Omit<Passkey, 'name' | 'addedAt'>

export interface CeremonyOptions extends ChallengeOptions {
  /** The name of the service, as authenticators show it. */
  readonly name: string
  readonly party: RelyingParty
  readonly passkeys: PasskeyRows
}

export function registrationCeremony({
  name,
  party,
  passkeys,
  ...options
}: CeremonyOptions): RegistrationCeremony {
  const challenges = challengesInCookies(options, 'registration')
  return {
    async begin(account) {
      const known = await passkeys.list(account.id)
      const { generateRegistrationOptions } = await webauthn()
      const options = await generateRegistrationOptions({
        rpID: party.id,
        rpName: name,
        userID: userHandle(account.id),
        userName: account.email ?? account.name,
        userDisplayName: account.name,
        supportedAlgorithmIDs: ALGORITHMS,
        // The service does not need the model of the authenticator.
        attestationType: 'none',
        excludeCredentials: known.map(({ id, transports }) => ({ id, transports: [...transports] })),
        // Discoverable, so no address is entered; with user verification, because a passkey alone signs in.
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      })
      return { options, cookie: challenges.remember(options.challenge, account.id) }
    },
    async verify(cookies, account, answer) {
      const challenge = challenges.read(cookies)
      if (challenge?.subject !== account.id) return undefined
      const made = await verified(party, challenge.challenge, answer)
      return made && (await challenges.redeem(challenge)) ? { ...made, subject: account.id } : undefined
    },
  }
}

/**
 * EdDSA, ES256 and RS256: what authenticators support. The default of the library adds an algorithm that is
 * experimental in Node.
 */
const ALGORITHMS = [-8, -7, -257]

/** The response is untrusted: any fault in it, even a wrong type, rejects it. */
async function verified(
  { id, origin }: RelyingParty,
  challenge: string,
  answer: string,
): Promise<Omit<Made, 'subject'> | undefined> {
  const response = parseJson(answer) as RegistrationResponseJSON
  const { verifyRegistrationResponse } = await webauthn()
  const { registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => ({ registrationInfo: undefined }))
  if (registrationInfo === undefined) return undefined
  const { credential, credentialBackedUp: synced } = registrationInfo
  const { id: credentialId, counter, publicKey, transports = [] } = credential
  const key = Buffer.from(publicKey).toString('base64url')
  return { id: credentialId, publicKey: key, counter, synced, transports: knownTransports(transports) }
}

/** Transport hints from the browser: stored only if they are well-formed (WebAuthn 5.8.4). */
function knownTransports(transports: unknown): string[] {
  const listed: unknown[] = Array.isArray(transports) ? transports : []
  return listed
    .filter((name): name is string => typeof name === 'string' && /^[a-z-]{1,20}$/.test(name))
    .slice(0, 8)
}
