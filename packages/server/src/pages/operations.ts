import type { MiddlewareHandler } from 'hono'
import { errorAnswer, formBody, jsonAnswer, pageAnswers, textAnswer, texts } from '../openapi/answers.ts'
import { describe, forAnybody } from '../openapi/describe.ts'

/** The OpenAPI operations of the pages. */

const FORM = { 403: 'The form has expired, or another site sent it' }
const AWAY = { 503: 'The store cannot be reached' }
const NO_PROVIDER = { 429: 'Too many attempts', 503: 'The provider cannot be reached' }
const SIGNED_IN = {
  303: 'Signed in; back to where the user came from',
  ...FORM,
  429: 'Too many attempts',
  ...AWAY,
}

export const home = page('home', 'The start page')
export const signInPage = page('signInPage', 'The sign-in page')
export const signIn = page(
  'signIn',
  'Sign in, by the form of the page',
  { ...SIGNED_IN, 401: 'Wrong password' },
  ['email', 'password', 'token', 'return_to'],
)
export const signInElsewhere = page('signInElsewhere', 'Sign in at the application of the users', {
  303: 'To the application, with a signed request',
  400: 'The address to return to is too long',
})
export const signedInElsewhere = page('signedInElsewhere', 'Back from the application of the users', {
  303: SIGNED_IN[303],
  403: 'The application or an operator denied the sign-in, or its response is invalid',
  503: 'The keys of the application, or the store, cannot be reached',
})
export const accountPage = page('accountPage', 'What the user allowed which app', {
  200: 'Connected apps and recent sign-ins',
  303: 'No user is signed in; to the sign-in page',
  ...AWAY,
})
export const disconnectApp = page(
  'disconnectApp',
  'Disconnect an app, by the form of the page',
  { 303: 'Disconnected; back to the page. Or no user is signed in; to the sign-in page', ...FORM },
  ['installation', 'all', 'ticket'],
)
export const nameApp = page(
  'nameApp',
  'Name an app, by the form of the page',
  { 303: 'Named; back to the page. Or no user is signed in; to the sign-in page', ...FORM, ...AWAY },
  ['installation', 'name', 'ticket'],
)

export const changePassword = change('changePassword', 'Change the password', [
  ...['current_password', 'new_password', 'new_password_again', 'token'],
])
export const endSession = change('endSession', 'Sign out of another browser', ['session', 'token'])

export const forgottenPassword = page('forgottenPassword', 'The page for a forgotten password')
export const requestPasswordLink = page(
  'requestPasswordLink',
  'Request a mail with a link to set a new password',
  { 200: 'The same for every address', ...FORM, 429: 'Too many requests' },
  ['email', 'token', 'return_to'],
)
export const newPasswordPage = page('newPasswordPage', 'The page behind the link of that mail', {
  200: 'The form for the new password',
  400: 'The link is not valid',
  ...AWAY,
})
export const resetPassword = page(
  'resetPassword',
  'Set a new password, by the form of that page',
  {
    200: 'The password is changed',
    400: 'The link is not valid, or the password does not follow the rules',
    ...AWAY,
  },
  ['token', 'new_password', 'new_password_again'],
)

export const passkeyScript = describe(
  forAnybody('Discovery', 'passkeyScript', 'Asks the browser for passkeys', {
    200: textAnswer('Asks the browser for passkeys', 'text/javascript'),
  }),
)
export const passkeyToSignIn = options(
  'passkeyToSignIn',
  'What the browser is asked to sign in with a passkey',
)
export const newPasskey = options('newPasskey', 'What the browser is asked for a new passkey')
export const signInByPasskey = page(
  'signInByPasskey',
  'Sign in with a passkey, by the form of the page',
  { ...SIGNED_IN, 401: 'The passkey is not known, or its answer not right' },
  ['answer', 'token', 'return_to'],
)
export const addPasskey = change('addPasskey', 'Add a passkey', ['answer', 'name', 'token'])
export const removePasskey = change('removePasskey', 'Remove a passkey', ['id', 'token'])

export const signInWith = page(
  'signInWith',
  'Sign in with an OpenID provider',
  { 303: 'To the provider', ...FORM, ...NO_PROVIDER },
  ['token', 'return_to'],
)
export const signedInWith = page('signedInWith', 'Back from an OpenID provider', {
  303: 'Signed in, or connected; back to where the user came from',
  403: 'The provider or the rules of this service denied the sign-in',
  ...NO_PROVIDER,
})
export const connectProvider = change('connectProvider', 'Connect an OpenID provider', ['provider', 'token'])
export const removeIdentity = change('removeIdentity', 'Remove an OpenID provider', [
  'issuer',
  'identity',
  'token',
])

export const whyPage = page('whyPage', 'What the reference of an error is for')

export const signOutPage = page('signOutPage', 'The sign-out page')
export const signOut = describe({
  ...forAnybody('Pages', 'signOut', 'Sign out, by the form of the page', {
    ...pageAnswers({ 303: 'Signed out; to the sign-in page' }),
    403: errorAnswer('Another site sent the form', 'invalid_request', 'Another site sent this form'),
  }),
  request: { body: formBody(texts(['return_to']), false) },
})
export const signOutEverywhere = page(
  'signOutEverywhere',
  'Sign out in every browser, by the form of the account page',
  { 303: 'Signed out, or no user is signed in; to the sign-in page', ...FORM, ...AWAY },
  ['token'],
)

/** @param answers by status; by default the page itself @param fields of its form */
function page(
  operationId: string,
  summary: string,
  answers: Readonly<Record<number, string>> = { 200: summary },
  fields?: readonly string[],
): MiddlewareHandler {
  const body = fields && formBody(texts(fields), false)
  return describe({
    ...forAnybody('Pages', operationId, summary, pageAnswers(answers)),
    ...(body && { request: { body } }),
  })
}

function change(operationId: string, summary: string, fields: readonly string[]): MiddlewareHandler {
  const answers = {
    303: 'Done, or in progress; or no user is signed in, to the sign-in page',
    403: 'The form has expired, the sign-in is too old, or nothing could be changed',
    ...AWAY,
  }
  return page(operationId, `${summary}, by a form of the account page`, answers, fields)
}

function options(operationId: string, summary: string): MiddlewareHandler {
  return describe(forAnybody('Pages', operationId, summary, { 200: jsonAnswer(summary, { type: 'object' }) }))
}
