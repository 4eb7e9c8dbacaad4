import { createRoute } from '@hono/zod-openapi'
import { CALLBACK_PATH } from '../config/users.ts'
import { prefetch } from '../http/bodies-and-answers.ts'
import { error, form, json, page, type Responses, text } from '../http/responses.ts'

const PAGE = { tags: ['Pages'], security: [{}] }
const EXPIRED = { 403: 'The form has expired, or another site sent it' }
const UNAVAILABLE = { 503: 'The store cannot be reached' }
const NO_PROVIDER = { 429: 'Too many attempts', 503: 'The provider cannot be reached' }
const BACK = { 303: 'Signed in; back to where the user came from' }
const SIGNED_IN = { ...BACK, ...EXPIRED, 429: 'Too many attempts', ...UNAVAILABLE }
/** All but the first two are what the app, or a page of this service, wants of the sign-in. */
const OF_SIGN_IN = ['token', 'return_to', 'prompt', 'max_age', 'acr_values', 'ui_locales']
const backFromProvider = (closed: string): Responses => ({
  ...page({
    303: 'Signed in, or connected; back to where the user came from',
    403: 'The provider or the rules of this service denied the sign-in',
    ...NO_PROVIDER,
  }),
  405: error(closed),
})
const PASSWORDS = ['new_password', 'new_password_again', 'token']

/** The routes of the pages, with what the OpenAPI document says of them. */
export const routes = identified({
  home: shown('/', 'The start page'),
  whyPage: shown('/why', 'What the reference of an error is for'),
  signOutPage: shown('/logout', 'The sign-out page'),
  signOut: submitted('/logout', 'Sign out, by the form of the page', ['return_to'], {
    ...page({ 200: 'Signed out here, and not elsewhere', 303: 'Signed out; to the sign-in page' }),
    403: error('Another site sent the form'),
  }),

  signInPage: shown('/login', 'The sign-in page', {
    200: 'The page',
    303: 'Signed in already; to where the user came from',
  }),
  signIn: submitted(
    '/login',
    'Sign in, by the form of the page',
    ['email', 'password', 'connect', ...OF_SIGN_IN],
    page({ ...SIGNED_IN, 401: 'Wrong password' }),
  ),
  signInElsewhere: shown('/login', 'Sign in at the application of the users', {
    303: 'To the application, with a signed request',
    400: 'The address to return to is too long',
  }),
  signedInElsewhere: shown(CALLBACK_PATH, 'Back from the application of the users', {
    ...BACK,
    403: 'The application or an operator denied the sign-in, or its response is invalid',
    503: 'The keys of the application, or the store, cannot be reached',
  }),

  accountPage: shown('/account', 'What the user allowed which app', {
    200: 'Connected apps and recent sign-ins',
    303: 'No user is signed in; to the sign-in page',
    ...UNAVAILABLE,
  }),
  disconnectApp: changed('', 'Disconnect an app', ['installation', 'all', 'ticket']),
  nameApp: changed('/apps/name', 'Name an app', ['installation', 'name', 'ticket']),
  endSession: changed('/sessions/end', 'Sign out of another browser', ['session', 'token']),
  signOutEverywhere: changed('/sign-out', 'Sign out in every browser', ['token'], {
    200: 'Signed out in every browser',
  }),
  changePassword: changed('/password', 'Change the password', ['current_password', ...PASSWORDS]),

  forgottenPassword: shown('/login/forgot', 'The page for a forgotten password'),
  requestPasswordLink: submitted(
    '/login/forgot',
    'Request a mail with a link to set a new password',
    ['email', 'token', 'return_to'],
    page({ 200: 'The same for every address', ...EXPIRED, 429: 'Too many requests' }),
  ),
  newPasswordPage: shown('/login/reset', 'The page behind the link of that mail', {
    200: 'The form for the new password',
    400: 'The link is not valid',
    ...UNAVAILABLE,
  }),
  resetPassword: submitted(
    '/login/reset',
    'Set a new password, by the form of that page',
    PASSWORDS,
    page({
      200: 'The password is changed',
      400: 'The link is not valid, or the password does not follow the rules',
      ...UNAVAILABLE,
    }),
  ),
  disconnectAllApps: submitted(
    '/login/reset/apps',
    'Disconnect all apps, by the form of the page after a new password',
    ['return_to', 'token'],
    page({
      200: 'All grants of the user have ended',
      400: 'The form is not valid any more',
      ...UNAVAILABLE,
    }),
  ),

  passkeyScript: {
    ...shown('/assets/passkeys.js', 'Asks the browser for passkeys'),
    ...{ tags: ['Discovery'], responses: { 200: text('Asks the browser for passkeys', 'text/javascript') } },
  },
  passkeyToSignIn: read('/login/passkey', 'What the browser is asked to sign in with a passkey'),
  newPasskey: read('/account/passkeys', 'What the browser is asked for a new passkey'),
  signInByPasskey: submitted(
    '/login/passkey',
    'Sign in with a passkey, by the form of the page',
    ['answer', 'connect', ...OF_SIGN_IN],
    page({ ...SIGNED_IN, 401: 'The passkey is not known, or its answer not right' }),
  ),
  passkeyNotice: shown('/login/passkey-notice', 'The page that says from when on the user needs a passkey', {
    200: 'The day',
    303: 'No day is configured; to where the user came from',
  }),
  enrolmentPage: shown('/login/enrol', 'The page where a user who needs a passkey adds one', {
    200: 'The form',
    303: 'A link of the operator; to the page without its token',
    403: 'Nothing to add: no recent sign-in, a passkey is there, or the link was used',
    ...UNAVAILABLE,
  }),
  firstPasskey: read('/login/enrol/passkey', 'What the browser is asked for that passkey'),
  addFirstPasskey: submitted(
    '/login/enrol/passkey',
    'Add the passkey, by the form of that page',
    ['answer', 'name'],
    page({
      303: 'Added; to the sign-in page',
      403: 'Not added',
      ...UNAVAILABLE,
    }),
  ),
  addPasskey: changed('/passkeys', 'Add a passkey', ['answer', 'name', 'token']),
  removePasskey: changed('/passkeys/remove', 'Remove a passkey', ['id', 'token']),

  signInWith: submitted(
    '/login/with/{provider}',
    'Sign in with a provider',
    OF_SIGN_IN,
    page({
      303: 'To the provider; to where the user came from, if signed in already',
      ...EXPIRED,
      ...NO_PROVIDER,
    }),
  ),
  signedInWith: {
    ...shown('/login/with/{provider}/callback', 'Back from a provider'),
    responses: backFromProvider('The provider posts its answers'),
  },
  signedInByPost: submitted(
    '/login/with/{provider}/callback',
    'Back from a provider that posts its answer',
    ['code', 'state', 'iss', 'error', 'user'],
    {
      ...page({ 200: 'The page that posts the answer again, with the cookies of this service' }),
      ...backFromProvider('The provider does not post its answers'),
      413: error('The answer is too long'),
    },
  ),
  postAgainScript: {
    ...shown('/assets/post-again.js', 'Posts an answer again'),
    ...{ tags: ['Discovery'], responses: { 200: text('Posts an answer again', 'text/javascript') } },
  },
  connectProvider: changed('/identities', 'Connect an OpenID provider', ['provider', 'token'], {
    200: 'The way to the provider',
  }),
  copyScript: {
    ...shown('/assets/copy.js', 'Copies a new token'),
    ...{ tags: ['Discovery'], responses: { 200: text('Copies a new token', 'text/javascript') } },
  },
  personalTokensPage: shown('/account/tokens', 'The personal access tokens of the user', {
    200: 'The tokens, with a form for a new one if the sign-in is recent',
    303: 'No user is signed in; to the sign-in page',
    ...UNAVAILABLE,
  }),
  createPersonalToken: submitted(
    '/account/tokens',
    'Create a personal access token, by the form of the page',
    ['label', 'scope', 'resource', 'days', 'ticket'],
    page({
      200: 'The page with the token, which is shown this once',
      303: 'No user is signed in; to the sign-in page',
      400: 'The form is not complete',
      403: 'The form has expired, or the sign-in is too old',
      409: 'The user has the maximum number of tokens',
      ...UNAVAILABLE,
    }),
  ),
  endPersonalToken: changed('/tokens/end', 'Revoke a personal access token', ['id', 'ticket']),
  removeIdentity: changed('/identities/remove', 'Remove an OpenID provider', [
    ...['issuer', 'identity', 'token'],
  ]),
})

/** Each name is the id of the operation. */
function identified<Routes extends Readonly<Record<string, object>>>(routes: Routes): Routes {
  const entries = Object.entries(routes).map(([operationId, route]) => [
    operationId,
    { ...route, operationId },
  ])
  return Object.fromEntries(entries) as Routes
}

/** @param descriptions of the responses, by status; by default the page itself */
function shown<Path extends string>(
  path: Path,
  summary: string,
  descriptions: Readonly<Record<number, string>> = { 200: summary },
) {
  return createRoute({ ...PAGE, method: 'get', path, summary, responses: page(descriptions) })
}

/** @param fields of its form */
function submitted<Path extends string>(
  path: Path,
  summary: string,
  fields: readonly string[],
  responses: Responses,
) {
  const properties = Object.fromEntries(fields.map((name) => [name, { type: 'string' }] as const))
  const request = { body: form({ type: 'object', properties }, false) }
  return createRoute({ ...PAGE, method: 'post', path, summary, request, responses, middleware: prefetch })
}

/** A form of the account page. */
function changed(path: string, summary: string, fields: readonly string[], more = {}) {
  const responses = page({
    ...more,
    303: 'Done, or in progress; or no user is signed in, to the sign-in page',
    403: 'The form has expired, the sign-in is too old, or nothing could be changed',
    ...UNAVAILABLE,
  })
  return submitted(`/account${path}`, `${summary}, by a form of the account page`, fields, responses)
}

/** What the script of the pages reads. */
function read<Path extends string>(path: Path, summary: string) {
  const responses: Responses = { 200: json(summary, { type: 'object' }) }
  return createRoute({ ...PAGE, method: 'get', path, summary, responses })
}
