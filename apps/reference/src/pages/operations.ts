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

/** What the routes of the pages do, in the words of OpenAPI. */

export const home = describe(page('home', 'The start page'))
export const stylesheet = file('stylesheet', 'How pages look', 'text/css')
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
    '303': redirectAnswer('Nobody is signed in; to the sign-in page'),
    '503': textAnswer('The store cannot be reached', 'text/html'),
  },
})

export const disconnectApp = describe({
  ...page('disconnectApp', 'Disconnect an app, by the form of the page'),
  requestBody: form(['client_id', 'token']),
  responses: {
    '303': redirectAnswer('Disconnected; back to the page. Or nobody is signed in; to the sign-in page'),
    '403': textAnswer('The form has expired, or another site sent it', 'text/html'),
  },
})

export const signOutPage = describe(page('signOutPage', 'The sign-out page'))

export const signOut = describe({
  ...page('signOut', 'Sign out, by the form of the page'),
  requestBody: form(['return_to']),
  responses: {
    '303': redirectAnswer('Signed out; to the sign-in page'),
    '403': errorAnswer('Another site sent the form', 'invalid_request', 'Another site sent this form'),
  },
})

function page(operationId: string, summary: string): Description {
  return forAnybody('Pages', operationId, summary, { '200': textAnswer(summary, 'text/html') })
}

function file(operationId: string, summary: string, mediaType: string): MiddlewareHandler {
  return describe(forAnybody('Discovery', operationId, summary, { '200': textAnswer(summary, mediaType) }))
}

/** A page needs no form to answer: it sends its caller to sign in, or shows the form. */
function form(names: readonly string[]): Json {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  return { ...(formBody({ type: 'object', properties }) as object), required: false }
}
