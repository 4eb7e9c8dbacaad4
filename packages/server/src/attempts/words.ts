import type { Compared, Party, StepEvent, StepName, Verdict } from '@grantkit/explain'
import type { SignInReason } from '../events.ts'

/** The words of pages and commands for the steps of a sign-in attempt, and for who can remove a fault. */

export const STEP_WORDS: Readonly<Record<StepName, string>> = {
  registered: 'The app registered itself',
  requested: 'The app requested access',
  client_found: 'The client was found',
  request_refused: 'The request was refused',
  sign_in_shown: 'The user was asked to sign in',
  signed_in: 'The user was signed in',
  consent_shown: 'The user saw the consent page',
  allowed: 'The user allowed access',
  denied: 'The user denied access',
  expired: 'The consent page had expired',
  sent_back: 'The user was sent back to the app with a code',
  code_redeemed: 'The app got its first tokens',
  refreshed: 'The app refreshed its tokens',
  first_call: 'The app called the API',
  ended: 'The grant ended',
}

/** The same for a step that was tried. */
export const TRIED_WORDS: Readonly<Partial<Record<StepName, string>>> = {
  registered: 'The app tried to register itself',
  client_found: 'The client was looked up',
  signed_in: 'The user tried to sign in',
  allowed: 'The user answered the consent page',
  sent_back: 'The app was to get its answer',
  code_redeemed: 'The app tried to redeem the code',
  refreshed: 'The app tried to refresh its tokens',
}

export const PARTY_WORDS: Readonly<Record<Party, string>> = {
  app: 'the app',
  operator: 'the operator of this service',
  user: 'the user',
  network: 'the network between them',
  server: 'this service',
  none: 'none: there is no fault',
}

/** Where an attempt was found, if it has no rows. */
export const KEPT_WORDS: Readonly<Record<'database' | 'memory', string | undefined>> = {
  database: undefined,
  memory: 'Only this process has seen this sign-in, and keeps it in memory for a while.',
}

/** What the app sent, of the facts of a verdict. The others are of this server, or of other callers. */
export function sentValues(compared: readonly Compared[]): readonly Compared[] {
  return compared.filter(({ label }) => label.endsWith(' sent') || label.endsWith(' requested'))
}

export const PROBE_WORDS = 'probe of the doctor'

/** Whether the doctor has a part in an attempt. */
export function isProbe({ steps }: { readonly steps: readonly StepEvent[] }): boolean {
  return steps.some(({ probe }) => probe)
}

/** For a place that shows no code: pages show what stands between the marks as code. */
export function withoutMarks(text: string): string {
  return text.replaceAll('`', '')
}

/** The time between two steps: `+12 s`. */
export function since(before: Pick<StepEvent, 'at'> | undefined, step: Pick<StepEvent, 'at'>): string {
  if (before === undefined) return ''
  const seconds = step.at - before.at
  if (seconds < 120) return `+${seconds} s`
  return seconds < 7200 ? `+${Math.round(seconds / 60)} min` : `+${Math.round(seconds / 3600)} h`
}

// The verdicts of sign-ins that failed elsewhere.

type Elsewhere = Exclude<
  SignInReason,
  `wrong_${string}` | `passkey_${string}` | 'not_connected' | 'too_many_attempts'
>
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
  unreachable: {
    by: 'operator',
    sentence: 'The OpenID provider did not respond.',
    fix: 'Look whether this server reaches the `issuer` of the provider, and whether the provider works.',
  },
  client_rejected: {
    by: 'operator',
    sentence: 'The OpenID provider did not accept this server as its client.',
    fix: 'Compare `clientId`, `clientSecret`, `scope` and the redirect URI with the settings at the provider. A secret may have expired there.',
  },
  response_invalid: {
    by: 'operator',
    sentence: 'The response of the OpenID provider is invalid.',
    fix: 'Compare the fault with the `issuer` of the provider, and the clocks of both machines.',
  },
  state_expired: {
    by: 'user',
    sentence: 'The sign-in at the OpenID provider took too long, or began in another browser.',
    fix: AGAIN,
  },
  not_fresh: {
    by: 'operator',
    sentence: 'A new sign-in was required, and the OpenID provider did not confirm one.',
    fix: 'The user signs in another way; who has none adds a passkey or a password on the account page. The provider has to return `auth_time`; see also `freshness`.',
  },
  too_long: {
    by: 'app',
    sentence:
      'The authorization request of the app is too long to be kept while the user signs in at the OpenID provider.',
    fix: 'Let the app push its request (PAR), or make it shorter.',
  },
  account_disabled: {
    by: 'operator',
    sentence: 'The account that the user of the OpenID provider belongs to is disabled or removed.',
    fix: 'Enable the user, if that is wanted.',
  },
  admin_refused: {
    by: 'user',
    sentence: 'The account is that of an admin, and the provider has neither PKCE nor a nonce.',
    fix: 'The admin signs in another way, and connects no such provider.',
  },
  sign_up_off: {
    by: 'operator',
    sentence: 'The user of the OpenID provider has no account here, and may not make one.',
    fix: 'Add the account, or let users of this provider sign up (`signUp`).',
  },
  email_missing: {
    by: 'operator',
    sentence: 'The OpenID provider did not send an e-mail address of the user, and a rule needs one.',
    fix: 'Let the provider send `email`: look at `scope`, and at the claims of the client there.',
  },
  email_unverified: {
    by: 'operator',
    sentence:
      'The OpenID provider did not say that the e-mail address of the user is verified, and a rule needs that.',
    fix: 'Let the provider send `email_verified`, or `xms_edov` at Microsoft. If it gives out the addresses of the domain itself, vouch for the domain (`emailsVerified`).',
  },
  domain_not_allowed: {
    by: 'operator',
    sentence: 'The e-mail address of the user has a domain that a rule of the provider does not name.',
    fix: 'Add the domain to `emailDomains` of `signUp` or `require`, if that is wanted.',
  },
  tenant_not_allowed: {
    by: 'operator',
    sentence:
      'The user belongs to an organization (tenant) of the provider that may not sign in here, or to none.',
    fix: 'Add it to `tenants` of the provider, or of `signUp` or `require`, if that is wanted.',
  },
  group_missing: {
    by: 'operator',
    sentence:
      'The user is in no group or organization of the provider that a rule names, or the provider sends none.',
    fix: 'Add the user to a group there, or the group to `groups` or `organizations` of `signUp` or `require`. The provider has to send the claim `groups`.',
  },
  groups_overage: {
    by: 'operator',
    sentence: 'The user is in more groups than fit into a token of the provider, so it names none.',
    fix: 'Let the provider send only the groups that are assigned to this application.',
  },
  email_in_use: {
    by: 'user',
    sentence: 'An account here has the e-mail address of the user of the OpenID provider.',
    fix: 'The user signs in to that account, and connects the provider there.',
  },
  identity_in_use: {
    by: 'user',
    sentence: 'The user of the OpenID provider is connected with another account.',
    fix: 'The user disconnects it there first.',
  },
}

const SAME_KEY =
  'The page and the log of the application at this time say why. Both need the same key (`EXTERNAL_SIGN_IN_KEY`).'

/** Findings in which the user went to the application, and this server heard no more. */
const AT_APPLICATION: Readonly<Partial<Record<string, Words>>> = {
  sign_in_left: {
    by: 'user',
    sentence: 'The user was sent to the application that signs the users in, and did not come back.',
    fix: `Ask the user. ${SAME_KEY}`,
  },
  sign_in_repeated: {
    by: 'operator',
    sentence:
      'The user was sent again and again to the application that signs the users in, and did not come back with a response.',
    fix: SAME_KEY,
  },
}

/** `undefined` for a reason of a sign-in here. */
export function verdictOfSignIn(reason: string): Words | undefined {
  return Object.hasOwn(VERDICTS, reason) ? VERDICTS[reason as Elsewhere] : undefined
}

const TO_DEVELOPER = 'The user could not sign in. Let the user begin again in your app.'

/**
 * The verdict, in words of this server if a sign-in elsewhere failed.
 *
 * @param faults of the steps, the latest last @param external whether an application signs the users in
 */
export function inWordsOfSignIn(verdict: Verdict, faults: readonly string[], external: boolean): Verdict {
  const words = verdictOfSignIn(verdict.id) ?? (external ? AT_APPLICATION[verdict.id] : undefined)
  if (words === undefined) return verdict
  const compared = faults.slice(-1).map((value) => ({ label: 'what was wrong', value }))
  const { doctorCheck: _, ...known } = verdict
  return { ...known, ...words, toDeveloper: TO_DEVELOPER, compared }
}
