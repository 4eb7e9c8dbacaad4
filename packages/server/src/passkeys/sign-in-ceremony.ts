import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import * as z from 'zod'
import type { Accounts, StoredAccount } from '../accounts/accounts.ts'
import type { RelyingParty } from '../config/relying-party.ts'
import { parseJson } from '../http/bodies-and-answers.ts'
import { type Challenge, challengesInCookies } from './challenges.ts'
import type { Passkey } from './passkey-rows.ts'
import type { CeremonyOptions, StartedCeremony } from './registration-ceremony.ts'
import { userHandle, webauthn } from './webauthn.ts'

/** Sign-in with a discoverable passkey, without an e-mail address (WebAuthn 7.2). */
export interface SignInCeremony {
  begin(): Promise<StartedCeremony>
  /**
   * The passkey that a response names, which is not verified yet. `undefined`: it is unknown or of another account, or
   * this browser has no recent challenge.
   */
  find(cookies: string | undefined, answer: SignInAnswer): Promise<PresentedPasskey | undefined>
  /**
   * The account of the passkey. `undefined`: it is not active, the response does not match the challenge, or it was used
   * before.
   */
  verify(presented: PresentedPasskey): Promise<StoredAccount | undefined>
}

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

export function signInCeremony({ party, passkeys, accounts, ...options }: SignInOptions): SignInCeremony {
  const challenges = challengesInCookies(options, 'sign-in')
  return {
    async begin() {
      const { generateAuthenticationOptions } = await webauthn()
      const options = await generateAuthenticationOptions({ rpID: party.id, userVerification: 'required' })
      return { options, cookie: challenges.remember(options.challenge) }
    },
    async find(cookies, answer) {
      const challenge = challenges.read(cookies)
      if (challenge === undefined) return undefined
      const passkey = await passkeys.find(answer.id)
      return passkey && isOwner(passkey, answer) ? { passkey, challenge, answer } : undefined
    },
    async verify({ passkey, challenge, answer }) {
      const use = await verifiedUse(party, challenge.challenge, passkey, answer)
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
