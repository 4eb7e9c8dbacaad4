import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { z } from 'zod'
import type { Accounts, StoredAccount } from '../accounts/accounts.ts'
import { parseJson } from '../http/bodies-and-answers.ts'
import { challengesInCookies } from './challenges.ts'
import type { Passkey } from './passkey-rows.ts'
import type { Asked, CeremonyOptions } from './registration-ceremony.ts'
import type { RelyingParty } from './relying-party.ts'
import { userHandle } from './user-handle.ts'
import { webauthn } from './webauthn.ts'

/** Signs in with a passkey that the browser finds by itself: nobody types an address (WebAuthn 7.2). */
export interface SignInCeremony {
  ask(): Promise<Asked>
  /**
   * The account of the passkey that answered. `undefined`: it is unknown, or its account is not active, or it did not sign
   * a challenge that this browser got in the last minutes, or the answer was used before.
   */
  verify(cookies: string | undefined, answer: SignInAnswer): Promise<StoredAccount | undefined>
}

/** The parts that we read. The library reads and judges all of them. */
const Answer = z.looseObject({
  id: z.string().min(1).max(1400),
  response: z.looseObject({ userHandle: z.string().optional() }),
})
export type SignInAnswer = z.output<typeof Answer>

/** The answer of a browser, not verified yet; `undefined` if it is none. @param text JSON of WebAuthn 5.2 */
export function signInAnswer(text: string): SignInAnswer | undefined {
  return Answer.safeParse(parseJson(text)).data
}

interface SignInOptions extends CeremonyOptions {
  readonly accounts: Pick<Accounts, 'find'>
}

export function signInCeremony({ party, passkeys, accounts, ...options }: SignInOptions): SignInCeremony {
  const challenges = challengesInCookies(options, 'sign-in')
  return {
    async ask() {
      const { generateAuthenticationOptions } = await webauthn()
      const asked = await generateAuthenticationOptions({ rpID: party.id, userVerification: 'required' })
      return { options: asked, cookie: challenges.remember(asked.challenge) }
    },
    async verify(cookies, answer) {
      const challenge = challenges.read(cookies)
      if (challenge === undefined) return undefined
      const passkey = await passkeys.find(answer.id)
      if (passkey === undefined || !isOwner(passkey, answer)) return undefined
      const use = await verifiedUse(party, challenge.challenge, passkey, answer)
      if (use === undefined || !(await challenges.redeem(challenge))) return undefined
      // Read before the use is recorded: a removal of the passkey after that ends the session that this sign-in begins.
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
    // Refuses a counter that does not grow: the key was copied (6.1.1). Of two uses at once the row decides.
    credential: { id: passkey.id, publicKey, counter: passkey.counter },
    requireUserVerification: true,
  }).catch(() => ({ verified: false, authenticationInfo: undefined }))
  if (!verified || authenticationInfo === undefined) return undefined
  return { counter: authenticationInfo.newCounter, synced: authenticationInfo.credentialBackedUp }
}
