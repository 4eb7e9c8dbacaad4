import type { ErrorView } from '@grantkit/core'
import type { Language } from '../language.ts'

/** What a user can do about an error: a text that stands for anything an app can have done wrong, where no other fits. */
export function adviceOn(
  { advice, error }: Language,
  { reason, status }: Pick<ErrorView, 'reason' | 'status'>,
): string {
  return status >= 500 ? error.unavailable : advice[ADVICE[reason] ?? 'appMistake']
}

/** By the `reason` of the errors that reach a page. */
export const ADVICE: Readonly<Record<string, keyof Language['advice']>> = {
  client_unknown: 'appUnknown',
  document_invalid: 'appNotDescribed',
  document_refused: 'appNotAccepted',
  redirect_uri_missing: 'appMistake',
  redirect_uri_not_registered: 'redirectAddress',
  redirect_uri_not_accepted: 'redirectNotAllowed',
  request_uri_unknown: 'requestUnknown',
  request_uri_of_other_client: 'requestUnknown',
  request_uri_expired: 'requestExpired',
  request_uri_spent: 'requestAnswered',
  request_object_expired: 'requestExpired',
  request_object_spent: 'requestAnswered',
  consent_ticket_spent: 'requestAnswered',
  sign_in_needed: 'signInNeeded',
  sign_in_declined: 'signInDeclined',
  prompt_invalid: 'appMistake',
  message_invalid: 'appMistake',
  parameters_too_many: 'appMistake',
  media_type_unsupported: 'appMistake',
  body_unreadable: 'appMistake',
  body_too_large: 'appMistake',
  method_not_allowed: 'appMistake',
  form_of_another_site: 'otherSite',
  too_many_unknown_documents: 'tooManyApps',
  too_many_user_codes: 'tooManyCodes',
  device_request_gone: 'deviceExpired',
  device_request_answered: 'deviceAnswered',
  device_ticket_invalid: 'deviceFormExpired',
  user_decision_missing: 'choiceMissing',
  details_not_shown: 'notShown',
  organization_not_member: 'notMember',
  organization_missing: 'noOrganization',
  backchannel_request_gone: 'requestEnded',
  backchannel_request_answered: 'requestDecided',
  backchannel_request_unknown: 'noRequest',
  backchannel_ticket_invalid: 'requestFormExpired',
  logout_hint_unverified: 'signOutUnproven',
  logout_hint_of_other_client: 'signOutUnproven',
  logout_client_missing: 'signOutAppUnknown',
  post_logout_redirect_uri_not_registered: 'signOutAddress',
  logout_ticket_invalid: 'signOutFormExpired',
}
