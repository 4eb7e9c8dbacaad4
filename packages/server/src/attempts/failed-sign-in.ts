import { randomBytes } from 'node:crypto'
import type { ServerSecret } from '@grantkit/core'
import { type BaseEvent, systemClock } from '@grantkit/core/internal'
import { type StepEvent, signInAttempts, type Verdict } from '@grantkit/explain'
import type { SignInEvent, SignInReason } from '../events.ts'

type SignInFailed = Extract<SignInEvent, { type: 'sign_in_failed' }>

/** The page that tells the user of it. */
interface FailedPage {
  /** A path of this server: the authorization request of an app, or a page. */
  readonly returnTo: string
  readonly status: number
  /** The address of the browser. */
  readonly caller: string | undefined
}

/**
 * Reports a sign-in that failed elsewhere: the event, and the step of the attempt that it stopped. A pushed request names its
 * client alone, so its failure is an attempt of its own.
 *
 * @returns the reference, as users see it; `undefined` if sign-ins are not explained
 */
export type ReportFailedSignIn = (event: SignInFailed, page: FailedPage) => string | undefined

interface Options {
  readonly explain: boolean
  readonly secret: ServerSecret
  readonly onEvent: (event: SignInFailed | StepEvent) => void
}

export function reportFailedSignIn({ explain, secret, onEvent }: Options): ReportFailedSignIn {
  // With the secret of the authorization server, and so with the same references.
  const [current] = [secret].flat()
  const context = { emit: onEvent as (event: BaseEvent) => void, now: systemClock, random: randomBytes }
  const attempts = explain ? signInAttempts(context, current) : undefined
  return (event, { returnTo, status, caller }) => {
    onEvent(event)
    const { searchParams } = new URL(returnTo, 'https://any.example')
    const request = { path: '/login', remoteAddress: caller }
    const { reason, detail } = event
    // A copy: V8 keeps a whole query alive for one part of its text, and steps are kept in memory.
    const fault = detail && Buffer.from(detail).toString()
    const error = { reason, status, facts: { fault } }
    return attempts?.signInRefused(request, Object.fromEntries(searchParams), error).reference
  }
}

type Elsewhere = Exclude<SignInReason, 'wrong_password' | 'wrong_passkey' | 'too_many_attempts'>
type Words = Pick<Verdict, 'by' | 'sentence' | 'fix'>

const LOOK_AT_FAULT = 'Compare the fault with the response of the application.'
const AGAIN = 'The user signs in again.'
const NOTHING = 'Nothing needs to change here.'

const VERDICTS: Readonly<Record<Elsewhere, Words>> = {
  application_invalid: {
    by: 'operator',
    sentence: 'The application that signs the users in returned a response that this server cannot accept.',
    fix: `Both need the same key (\`EXTERNAL_SIGN_IN_KEY\`), and each the base URL of the other, byte for byte. ${LOOK_AT_FAULT}`,
  },
  application_denied: {
    by: 'user',
    sentence: 'The application did not sign the user in: it returned an error.',
    fix: LOOK_AT_FAULT,
  },
  application_unreachable: {
    by: 'operator',
    sentence: 'The keys of the application that signs the users in could not be fetched.',
    fix: 'Look whether this server reaches the application, and whether it publishes its keys.',
  },
  application_expired: {
    by: 'user',
    sentence: 'The response of the application came too late, twice, or to another browser.',
    fix: `${AGAIN} If it happens at once, look at the cookies, and at the clocks of both machines.`,
  },
  application_not_fresh: {
    by: 'operator',
    sentence: 'A new sign-in was required, and the application returned an earlier one.',
    fix: 'The application has to sign the user in again for `prompt` and `max_age`, and to return the new `auth_time`.',
  },
  application_too_long: {
    by: 'app',
    sentence: 'The authorization request of the app is too long to be kept while the user signs in.',
    fix: 'Let the app push its request (PAR), or make it shorter.',
  },
  application_account_disabled: {
    by: 'operator',
    sentence: 'An operator disabled this user of the application.',
    fix: 'Enable the user, if that is wanted.',
  },
  application_account_removed: {
    by: 'operator',
    sentence: 'An operator removed this user of the application.',
    fix: NOTHING,
  },
  application_account_taken: {
    by: 'operator',
    sentence: 'Another account of this server has the id of this user of the application.',
    fix: 'Let the application use other ids, or remove the account that did not come from it.',
  },
  provider_denied: {
    by: 'user',
    sentence: 'The OpenID provider did not sign the user in: it, or the user, denied it.',
    fix: AGAIN,
  },
  provider_unreachable: {
    by: 'operator',
    sentence: 'The OpenID provider did not respond, or its response is invalid.',
    fix: 'Compare the fault with the settings of this server at the provider: client id, secret and redirect URI.',
  },
  provider_expired: {
    by: 'user',
    sentence: 'The sign-in at the OpenID provider took too long, or began in another browser.',
    fix: AGAIN,
  },
  provider_not_fresh: {
    by: 'operator',
    sentence: 'A new sign-in was required, and the OpenID provider did not confirm one.',
    fix: 'The user signs in another way. The provider has to return `auth_time`.',
  },
  provider_too_long: {
    by: 'app',
    sentence:
      'The authorization request of the app is too long to be kept while the user signs in at the OpenID provider.',
    fix: 'Let the app push its request (PAR), or make it shorter.',
  },
  provider_account_disabled: {
    by: 'operator',
    sentence: 'The account that the user of the OpenID provider belongs to is disabled or removed.',
    fix: 'Enable the user, if that is wanted.',
  },
  provider_sign_up_refused: {
    by: 'operator',
    sentence: 'The user of the OpenID provider has no account here, and may not make one.',
    fix: 'Add the account, or let users of this provider sign up (`sign_up`).',
  },
  provider_email_in_use: {
    by: 'user',
    sentence: 'An account here has the e-mail address of the user of the OpenID provider.',
    fix: 'The user signs in to that account, and connects the provider there.',
  },
  provider_identity_in_use: {
    by: 'user',
    sentence: 'The user of the OpenID provider is connected with another account.',
    fix: 'The user disconnects it there first.',
  },
}

const TO_DEVELOPER = 'The user could not sign in. Let the user begin again in your app.'

/** The verdict, in words of this server if a sign-in elsewhere failed. @param faults of the steps, the latest last */
export function inWordsOfSignIn(verdict: Verdict, faults: readonly string[]): Verdict {
  const words = (VERDICTS as Readonly<Record<string, Words>>)[verdict.id]
  if (words === undefined) return verdict
  const compared = faults.slice(-1).map((value) => ({ label: 'fault', value }))
  return { ...verdict, ...words, toDeveloper: TO_DEVELOPER, compared }
}
