import type { MiddlewareHandler } from 'hono'
import {
  type Description,
  describe,
  errorAnswer,
  forAnybody,
  formBody,
  type Json,
  redirectAnswer,
  textAnswer,
} from '../openapi/operation.ts'

/** The OpenAPI operations of the pages. */

export const home = describe(page('home', 'The start page'))
export const icon = file('icon', 'The sign of the school', 'image/svg+xml')
export const signInPage = describe(page('signInPage', 'The sign-in page'))

export const signIn = describe({
  ...page('signIn', 'Sign in, by the form of the page'),
  requestBody: form(['email', 'password', 'token', 'return_to']),
  responses: {
    '303': redirectAnswer('Signed in; back to where the user came from'),
    '401': textAnswer('Wrong password', 'text/html'),
    '403': textAnswer('The form has expired, or another site sent it', 'text/html'),
    '503': textAnswer('The store cannot be reached', 'text/html'),
    '429': textAnswer('Too many attempts', 'text/html'),
  },
})

export const accountPage = describe({
  ...page('accountPage', 'What the user allowed which app'),
  responses: {
    '200': textAnswer('Connected apps and recent sign-ins', 'text/html'),
    '303': redirectAnswer('No user is signed in; to the sign-in page'),
    '503': textAnswer('The store cannot be reached', 'text/html'),
  },
})

export const disconnectApp = describe({
  ...page('disconnectApp', 'Disconnect an app, by the form of the page'),
  requestBody: form(['installation', 'token']),
  responses: {
    '303': redirectAnswer('Disconnected; back to the page. Or no user is signed in; to the sign-in page'),
    '403': textAnswer('The form has expired, or another site sent it', 'text/html'),
  },
})

export const nameApp = describe({
  ...page('nameApp', 'Name an app, by the form of the page'),
  requestBody: form(['installation', 'name', 'token']),
  responses: {
    '303': redirectAnswer('Named; back to the page. Or no user is signed in; to the sign-in page'),
    '403': textAnswer('The form has expired, or another site sent it', 'text/html'),
    '503': textAnswer('The database cannot be reached', 'text/html'),
  },
})

export const passkeyScript = file('passkeyScript', 'Asks the browser for passkeys', 'text/javascript')
export const passkeyToSignIn = options(
  'passkeyToSignIn',
  'What the browser is asked to sign in with a passkey',
)
export const newPasskey = options('newPasskey', 'What the browser is asked for a new passkey')

export const signInByPasskey = describe({
  ...page('signInByPasskey', 'Sign in with a passkey, by the form of the page'),
  requestBody: form(['answer', 'token', 'return_to']),
  responses: {
    '303': redirectAnswer('Signed in; back to where the user came from'),
    '401': textAnswer('The passkey is not known, or its answer not right', 'text/html'),
    '403': textAnswer('The form has expired, or another site sent it', 'text/html'),
    '429': textAnswer('Too many attempts', 'text/html'),
    '503': textAnswer('The store cannot be reached', 'text/html'),
  },
})

export const addPasskey = describe(change('addPasskey', 'Add a passkey', ['answer', 'name', 'token']))
export const removePasskey = describe(change('removePasskey', 'Remove a passkey', ['id', 'token']))

export const signInWith = describe({
  ...page('signInWith', 'Sign in with an OpenID provider'),
  requestBody: form(['token', 'return_to']),
  responses: {
    '303': redirectAnswer('To the provider'),
    '403': textAnswer('The form has expired, or another site sent it', 'text/html'),
    '429': textAnswer('Too many attempts', 'text/html'),
    '503': textAnswer('The provider cannot be reached', 'text/html'),
  },
})

export const signedInWith = describe({
  ...page('signedInWith', 'Back from an OpenID provider'),
  responses: {
    '303': redirectAnswer('Signed in, or connected; back to where the user came from'),
    '403': textAnswer('The provider or the rules of this service denied the sign-in', 'text/html'),
    '429': textAnswer('Too many attempts', 'text/html'),
    '503': textAnswer('The provider cannot be reached', 'text/html'),
  },
})

export const connectProvider = describe(
  change('connectProvider', 'Connect an OpenID provider', ['provider', 'token']),
)
export const removeIdentity = describe(
  change('removeIdentity', 'Remove an OpenID provider', ['issuer', 'identity', 'token']),
)

export const signOutPage = describe(page('signOutPage', 'The sign-out page'))

export const signOut = describe({
  ...page('signOut', 'Sign out, by the form of the page'),
  requestBody: form(['return_to']),
  responses: {
    '303': redirectAnswer('Signed out; to the sign-in page'),
    '403': errorAnswer('Another site sent the form', 'invalid_request', 'Another site sent this form'),
  },
})

export const signOutEverywhere = describe({
  ...page('signOutEverywhere', 'Sign out in every browser, by the form of the account page'),
  requestBody: form(['token']),
  responses: {
    '303': redirectAnswer('Signed out, or no user is signed in; to the sign-in page'),
    '403': textAnswer('The form has expired, or another site sent it', 'text/html'),
    '503': textAnswer('The database cannot be reached', 'text/html'),
  },
})

function page(operationId: string, summary: string): Description {
  return forAnybody('Pages', operationId, summary, { '200': textAnswer(summary, 'text/html') })
}

function file(operationId: string, summary: string, mediaType: string): MiddlewareHandler {
  return describe(forAnybody('Discovery', operationId, summary, { '200': textAnswer(summary, mediaType) }))
}

/** A GET of a page: redirects to the sign-in page, or shows the form. */
function form(names: readonly string[]): Json {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  return { ...(formBody({ type: 'object', properties }) as object), required: false }
}

function change(operationId: string, summary: string, fields: readonly string[]): Description {
  return {
    ...page(operationId, `${summary}, by a form of the account page`),
    requestBody: form(fields),
    responses: {
      '303': redirectAnswer('Done, or in progress; or no user is signed in, to the sign-in page'),
      '403': textAnswer(
        'The form has expired, the sign-in is too old, or nothing could be changed',
        'text/html',
      ),
      '503': textAnswer('The store cannot be reached', 'text/html'),
    },
  }
}

function options(operationId: string, summary: string): MiddlewareHandler {
  return describe(
    forAnybody('Pages', operationId, summary, { '200': textAnswer(summary, 'application/json') }),
  )
}
