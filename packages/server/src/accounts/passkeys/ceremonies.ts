import { createHash } from 'node:crypto'
import type { ServerSecret, Store } from '@grantkit/core'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import * as z from 'zod'
import type { RelyingParty } from '../../config/address.ts'
import { parseJson } from '../../http/bodies-and-answers.ts'
import { type Flow, flowsInCookies } from '../../http/flows.ts'
import type { Account, Accounts, StoredAccount } from '../accounts.ts'
import { usedOnce } from '../used-once.ts'
import type { Passkey, PasskeyRows } from './passkey-rows.ts'

interface ChallengeOptions {
  readonly secret: ServerSecret
  readonly baseUrl: string
  readonly store: Store
}

/** Its id is the challenge. */
const Challenge = z.object({ subject: z.string(), exp: z.number() })
type Challenge = Flow<z.output<typeof Challenge>>

const CHALLENGE_SECONDS = 5 * 60

/** The challenges of one ceremony: each is bound to one browser, and is valid once (WebAuthn 13.4.3). */
function challengesInCookies(
  { secret, baseUrl, store }: ChallengeOptions,
  ceremony: 'sign-in' | 'registration',
) {
  const [name, purpose] = [`passkey-${ceremony}`, `passkey ${ceremony}`]
  const flows = flowsInCookies(
    { secret, baseUrl },
    { name, purpose, value: Challenge, seconds: CHALLENGE_SECONDS },
  )
  const used = usedOnce(store, 'passkey_challenge')
  return {
    /** The Set-Cookie lines with a challenge and its account. @param cookies the Cookie header of the request */
    remember: (cookies: string | undefined, challenge: string, subject = '') =>
      flows.begin(cookies, challenge, { subject }) ?? [],
    /** The challenge that an answer names, if this browser was given it. @param answer not verified yet */
    read: (cookies: string | undefined, answer: unknown) => flows.find(cookies, challengeIn(answer)),
    /** Whether this is the first use. Called after the ceremony succeeded, so that unauthenticated callers write nothing. */
    redeem: ({ id, exp }: Challenge) => used.add(id, exp),
  }
}

/** The part of an answer with the client data (WebAuthn 5.8.1), which name the challenge. */
const Answered = z.object({ response: z.object({ clientDataJSON: z.string() }) })

const ClientData = z.object({ challenge: z.string() })

/** Empty if the answer names none. */
function challengeIn(answer: unknown): string {
  const { data } = Answered.safeParse(answer)
  const clientData = parseJson(Buffer.from(data?.response.clientDataJSON ?? '', 'base64url').toString())
  return ClientData.safeParse(clientData).data?.challenge ?? ''
}

/** Reveals nothing about the user to a finder of the authenticator, and fits its 64 bytes (WebAuthn 14.6.1). */
function userHandle(subject: string) {
  return Uint8Array.from(createHash('sha256').update(subject).digest())
}

/** The WebAuthn library, loaded at the first ceremony, because it contains many certificate parsers. */
const webauthn = () => import('@simplewebauthn/server')

interface PresentedPasskey {
  readonly passkey: Passkey
  readonly challenge: Challenge
  readonly answer: SignInAnswer
}

/** The members that we read. The library validates all of them. */
const Answer = z.looseObject({
  id: z.string().min(1).max(1400),
  response: z.looseObject({ userHandle: z.string().optional() }),
})
export type SignInAnswer = z.output<typeof Answer>

/** The response of a browser, not verified yet; `undefined` if it is malformed. @param text JSON of WebAuthn 5.2 */
export function signInAnswer(text: string): SignInAnswer | undefined {
  return Answer.safeParse(parseJson(text)).data
}

interface SignInOptions extends CeremonyOptions {
  readonly accounts: Pick<Accounts, 'find'>
}

export type SignInCeremony = ReturnType<typeof signInCeremony>

/** Sign-in with a discoverable passkey, without an e-mail address (WebAuthn 7.2). */
export function signInCeremony({ party, passkeys, accounts, ...options }: SignInOptions) {
  const challenges = challengesInCookies(options, 'sign-in')
  return {
    /** @param cookies the Cookie header of the request */
    async begin(cookies: string | undefined): Promise<StartedCeremony> {
      const { generateAuthenticationOptions } = await webauthn()
      const options = await generateAuthenticationOptions({ rpID: party.id, userVerification: 'required' })
      return { options, cookies: challenges.remember(cookies, options.challenge) }
    },
    /**
     * The passkey that a response names, which is not verified yet. `undefined`: it is unknown or of another account, or
     * this browser has no recent challenge.
     */
    async find(cookies: string | undefined, answer: SignInAnswer): Promise<PresentedPasskey | undefined> {
      const challenge = challenges.read(cookies, answer)
      if (challenge === undefined) return undefined
      const passkey = await passkeys.find(answer.id)
      return passkey && isOwner(passkey, answer) ? { passkey, challenge, answer } : undefined
    },
    /**
     * The account of the passkey. `undefined`: it is not active, the response does not match the challenge, or it was used
     * before.
     */
    async verify({ passkey, challenge, answer }: PresentedPasskey): Promise<StoredAccount | undefined> {
      const use = await verifiedUse(party, challenge.id, passkey, answer)
      if (use === undefined || !(await challenges.redeem(challenge))) return undefined
      // Read before the use is recorded: if the passkey is removed afterwards, the session of this sign-in ends.
      const account = await accounts.find(passkey.subject)
      return (await passkeys.use(passkey.id, { ...use, usedAt: Date.now() })) ? account : undefined
    },
  }
}

function isOwner({ subject }: Passkey, { response }: SignInAnswer): boolean {
  return response.userHandle === Buffer.from(userHandle(subject)).toString('base64url')
}

async function verifiedUse(
  { id, origin }: RelyingParty,
  challenge: string,
  passkey: Passkey,
  answer: SignInAnswer,
): Promise<Pick<Passkey, 'counter' | 'synced'> | undefined> {
  const publicKey = Uint8Array.from(Buffer.from(passkey.publicKey, 'base64url'))
  const { verifyAuthenticationResponse } = await webauthn()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: answer as unknown as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    // Rejects a counter that does not increase, because the key was copied (6.1.1). The row decides between two uses at
    // once.
    credential: { id: passkey.id, publicKey, counter: passkey.counter },
    requireUserVerification: true,
  }).catch(() => ({ verified: false, authenticationInfo: undefined }))
  if (!verified || authenticationInfo === undefined) return undefined
  return { counter: authenticationInfo.newCounter, synced: authenticationInfo.credentialBackedUp }
}

/** The options for the browser, in the JSON of WebAuthn 5.1.8 and 5.1.9, and the Set-Cookie lines with the challenge. */
export interface StartedCeremony {
  readonly options: unknown
  readonly cookies: string[]
}

type Made = Omit<Passkey, 'name' | 'addedAt'>

export interface CeremonyOptions extends ChallengeOptions {
  /** The name of the service, as authenticators show it. */
  readonly name: string
  readonly party: RelyingParty
  readonly passkeys: PasskeyRows
}

export type RegistrationCeremony = ReturnType<typeof registrationCeremony>

/** Registers a passkey for an account (WebAuthn 7.1). */
export function registrationCeremony({ name, party, passkeys, ...options }: CeremonyOptions) {
  const challenges = challengesInCookies(options, 'registration')
  return {
    async begin(cookies: string | undefined, account: Account): Promise<StartedCeremony> {
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
      return { options, cookies: challenges.remember(cookies, options.challenge, account.id) }
    },
    /**
     * The new passkey, not stored yet. `undefined`: the response does not match a recent challenge of this browser and
     * account, or was used before.
     */
    async verify(cookies: string | undefined, account: Account, answer: string): Promise<Made | undefined> {
      const response = parseJson(answer)
      const challenge = challenges.read(cookies, response)
      if (challenge?.subject !== account.id) return undefined
      const made = await verified(party, challenge.id, response as RegistrationResponseJSON)
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
  response: RegistrationResponseJSON,
): Promise<Omit<Made, 'subject'> | undefined> {
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
