import type { ServerDescription } from '@grantkit/core/internal'
import type { Operations } from './described-server.ts'
import { authorizationRequest, queryOf } from './requests.ts'
import { browserPage, form, formPage } from './responses.ts'

const TO_SIGN_IN = { 303: 'To the sign-in page' }
const CLIENT = 'the client with `code` or `error`, `state` and `iss`'
const LOGGED_OUT = { 303: 'To `post_logout_redirect_uri`, with `state`' }
const INCONSISTENT = { 400: 'A page: the request does not hold together, and nothing happened' }
const EXPIRED = { 400: 'A page: the form has expired or is not of this session' }
const requestId = { name: 'request', in: 'query', required: true, schema: { type: 'string' } } as const

/** The OAuth endpoints that the browser of the user opens. */
export function pageEndpoints(mounted: ServerDescription): Operations {
  const request = authorizationRequest(mounted)
  const authorization = {
    200: 'The consent page',
    303: `To the sign-in page, or to ${CLIENT}`,
    400: 'A page: the client or its redirect URI is not known',
  }
  return {
    'get /oauth/authorize': {
      operationId: 'authorize',
      description: 'For the browser of the user.',
      parameters: queryOf(request),
      responses: browserPage(authorization),
    },
    'post /oauth/authorize': {
      operationId: 'authorizeByForm',
      summary: 'Ask the user, by a form (OpenID Connect Core 3.1.2.1)',
      request: { body: form(request) },
      responses: formPage(authorization),
    },
    'post /oauth/consent': {
      operationId: 'answerConsent',
      responses: formPage({ 303: `To ${CLIENT}`, ...EXPIRED }),
    },
    'get /oauth/device': {
      operationId: 'userCodePage',
      description: 'For the browser of the user.',
      parameters: [],
      responses: browserPage({ 200: 'A page with a form', ...TO_SIGN_IN }),
    },
    'post /oauth/device': {
      operationId: 'enterUserCode',
      responses: formPage({
        200: 'A page that asks the user',
        ...TO_SIGN_IN,
        400: 'The page again: the code is not valid, or the form has expired',
        429: 'A page: too many codes were tried',
      }),
    },
    'post /oauth/device/decision': {
      operationId: 'answerDevice',
      parameters: [requestId],
      responses: formPage({ 200: 'A page: the device has access, or was denied', ...TO_SIGN_IN, ...EXPIRED }),
    },
    'get /oauth/logout': {
      operationId: 'logOut',
      description: 'For the browser of the user.',
      responses: browserPage({
        200: 'A page that asks the user, or says that no user is signed in',
        ...LOGGED_OUT,
        ...INCONSISTENT,
      }),
    },
    'post /oauth/logout': {
      operationId: 'logOutByForm',
      responses: formPage({ 303: 'To the same request as a query', ...INCONSISTENT }),
    },
    'post /oauth/logout/confirm': {
      operationId: 'confirmLogOut',
      responses: formPage({ 200: 'A page: the user is signed out', ...LOGGED_OUT, ...EXPIRED }),
    },
  }
}
