import { findAccessToken } from '../../grants/grant.ts'
import { revokeUserGrant } from '../../grants/user-grants.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Grant } from '../../kernel/records.ts'
import { sha256 } from '../../kernel/secrets.ts'
import { parsePersonalToken } from '../../tokens/credential.ts'

export type PersonalTokenEnded =
  /** A user ended a personal access token, or it was found in public. `grant_revoked` comes with it. */
  | {
      readonly type: 'personal_token_ended'
      readonly subject: string
      readonly grantId: string
      readonly label: string
      readonly reason: 'user' | 'leaked'
    }
  /** A secret scanner reported texts of personal access tokens. The live ones have ended. */
  | {
      readonly type: 'personal_tokens_leaked'
      /** The number of texts in the report. */
      readonly reported: number
      readonly ended: number
    }

/** A token that was found in public and has ended. */
export interface LeakedPersonalToken {
  readonly subject: string
  readonly id: string
  readonly label: string
}

/** @returns `false`, and changes nothing, if the token does not exist or belongs to another user */
export async function endToken(kernel: Kernel, subject: string, id: string): Promise<boolean> {
  const grant = (await kernel.store.grants.find(id))?.value
  if (grant?.origin !== 'personal' || grant.subject !== subject) return false
  return end(kernel, grant, 'user')
}

/** The texts prove themselves: only one with the secret of a live token ends it. */
export async function endLeakedTokens(
  kernel: Kernel,
  texts: readonly string[],
): Promise<readonly LeakedPersonalToken[]> {
  const ended: LeakedPersonalToken[] = []
  for (const text of texts) {
    const grant = await liveGrantOf(kernel, text)
    if (grant === undefined || !(await end(kernel, grant, 'leaked'))) continue
    const { id, subject = '', label = '' } = grant
    ended.push({ subject, id, label })
  }
  const counts = { reported: texts.length, ended: ended.length }
  kernel.emit({ type: 'personal_tokens_leaked', ...counts } satisfies PersonalTokenEnded)
  return ended
}

async function liveGrantOf({ store, now }: Kernel, text: string): Promise<Grant | undefined> {
  const presented = parsePersonalToken(text)
  const grant = presented && (await store.grants.find(presented.grantId))?.value
  if (presented === undefined || grant?.origin !== 'personal') return undefined
  return findAccessToken(grant, sha256(presented.secret), now()) && grant
}

async function end(
  kernel: Kernel,
  { id: grantId, subject = '', label = '' }: Grant,
  reason: 'user' | 'leaked',
): Promise<boolean> {
  const by = reason === 'user' ? 'user' : 'operator'
  if (!(await revokeUserGrant(kernel, subject, grantId, { by }))) return false
  kernel.emit({
    type: 'personal_token_ended',
    ...{ subject, grantId, label, reason },
  } satisfies PersonalTokenEnded)
  return true
}
