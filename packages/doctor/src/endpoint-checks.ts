import type { HttpResponse } from '@grantkit/core'
import { type Check, firstComplaint, orSkipped, Skipped, skippedWithout } from './check.ts'
import { DPOP_CHECK } from './dpop-check.ts'
import {
  allowedOriginFault,
  type Evidence,
  headerOf,
  memberOf,
  NO_CLIENT,
  REQUESTED,
  STATE,
} from './evidence.ts'

/** An endpoint at another origin is asked only with `--follow`, and never by POST. */
const NO_ANSWER = 'there is no such endpoint at this origin, or it gave no answer'

const answerTo = (name: string, reason = NO_ANSWER) =>
  orSkipped(({ answers }: Evidence) => answers[name], reason)

/** Skipped if registration needs an initial access token (RFC 7591 3), which the doctor does not have. */
const registrationAnswer = (name: string, reason?: string) => (evidence: Evidence) => {
  const answer = answerTo(name, reason)(evidence)
  if (answer instanceof Skipped || !needsInitialAccessToken(answer)) return answer
  return new Skipped('registration needs an initial access token')
}

function needsInitialAccessToken(answer: HttpResponse): boolean {
  const isChallenged = /^bearer\b/i.test(headerOf(answer, 'www-authenticate'))
  return answer.status === 401 && isChallenged && memberOf(answer, 'error') === 'invalid_token'
}

/** The answers to a bad token. An API may have no route at the address of its resource: only a challenge counts. */
function challenges({ answers }: Evidence): HttpResponse[] | Skipped {
  const { badBearer, badBearerAtResource } = answers
  const atResource = badBearerAtResource?.status === 401 ? badBearerAtResource : undefined
  const given = [badBearer, atResource].filter((answer) => answer !== undefined)
  return given.length > 0 ? given : new Skipped('no endpoint here asks for an access token')
}

const UNCHANGED = 'Let the answers of the service pass as they are; a proxy must not replace error bodies.'

/** The answers of the endpoints to mistakes of clients. */
export const ENDPOINT_CHECKS: readonly Check[] = [
  {
    id: 'endpoint-cors',
    causes: 'code_not_redeemed',
    title: 'Scripts of any origin may call the endpoints, without credentials',
    fix: 'Let OPTIONS pass to the service, which answers with * and never with Access-Control-Allow-Credentials.',
    examine: ({ answers }) =>
      firstComplaint(
        ['tokenPreflight', 'registrationPreflight', 'revocationPreflight', 'userinfoPreflight'].map(
          (name) => {
            const answer = answers[name]
            return answer && preflightFault(name, answer)
          },
        ),
      ),
  },
  {
    id: 'authorize-cors',
    title: 'No script may read the authorization endpoint',
    fix: 'Do not let the proxy add CORS headers to pages.',
    examine: skippedWithout(answerTo('authorizePreflight'), (answer) => {
      const allowed = headerOf(answer, 'access-control-allow-origin')
      return allowed === '' ? undefined : `it allows "${allowed}"`
    }),
  },
  {
    id: 'no-store',
    title: 'Nothing keeps an answer of the token endpoint (RFC 6749 5.1)',
    fix: 'Let Cache-Control: no-store pass, and exclude the endpoint from caches.',
    examine: skippedWithout(answerTo('emptyTokenRequest'), (answer) => {
      const cacheControl = headerOf(answer, 'cache-control')
      return cacheControl.includes('no-store') ? undefined : `Cache-Control is "${cacheControl}"`
    }),
  },
  errorCheck({
    id: 'token-error',
    title: 'A malformed token request is invalid_request',
    probe: 'emptyTokenRequest',
    status: 400,
    error: 'invalid_request',
    causes: 'message_invalid',
  }),
  errorCheck({
    id: 'unknown-client',
    title: 'An unknown client gets an error that makes it register again',
    probe: 'unknownClient',
    status: 401,
    error: 'invalid_client',
    causes: 'client_unknown',
  }),
  errorCheck({
    id: 'unknown-push',
    title: 'A client that is not known pushes no request (RFC 9126 2.3)',
    probe: 'unknownPush',
    status: 401,
    error: 'invalid_client',
    causes: 'client_unknown',
  }),
  {
    id: 'registration',
    causes: 'client_metadata_invalid',
    title: 'A native app can register itself (RFC 7591 3.2.1)',
    fix: 'Let the answers of the registration endpoint pass, or run with --no-register.',
    examine: skippedWithout(registrationAnswer('registration', NO_CLIENT), (answer) =>
      answer.status === 201 && memberOf(answer, 'client_id') !== undefined
        ? undefined
        : `the answer was ${answer.status} ${memberOf(answer, 'error') ?? ''}`,
    ),
    note: () => 'as "Grantkit doctor"; Grantkit forgets it, since no user approves it',
  },
  errorCheck({
    id: 'https-registration',
    title: 'A fixed https callback cannot register itself',
    probe: 'httpsRegistration',
    answered: registrationAnswer,
    status: 400,
    error: 'invalid_redirect_uri',
  }),
  {
    id: 'bad-token',
    causes: 'bearer_unknown',
    title: 'A bad access token is invalid_token',
    fix: UNCHANGED,
    examine: skippedWithout(challenges, (answers) => firstComplaint(answers.map(badTokenFault))),
  },
  {
    id: 'challenge',
    causes: 'never_requested',
    title: 'The challenge to an invalid token names the resource metadata (RFC 9728 5.1)',
    fix: 'Let the WWW-Authenticate header pass.',
    examine: skippedWithout(challenges, (answers) => firstComplaint(answers.map(challengeFault))),
  },
  DPOP_CHECK,
  {
    id: 'loopback-port',
    causes: 'redirect_uri_not_registered',
    title: 'An app may be answered on another loopback port than it registered (RFC 8252 7.3)',
    fix: 'Compare a loopback redirect URI without its port.',
    examine: skippedWithout(answerTo('authorize', NO_CLIENT), (answer) => {
      const accepted = answer.status === 200 || (answer.status >= 300 && answer.status < 400)
      return accepted ? undefined : `the answer was ${answer.status}`
    }),
  },
  {
    id: 'iss',
    causes: 'code_not_redeemed',
    title: 'Every answer to an app carries iss and its state (RFC 9207 2)',
    fix: 'The issuer in the answer must be the base URL byte for byte.',
    examine: skippedWithout(answerTo('unknownScope', NO_CLIENT), (answer, { baseUrl }) => {
      const location = headerOf(answer, 'location')
      if (!location.startsWith(`${REQUESTED}?`)) return `the answer was ${answer.status} ${location}`
      const given = new URL(location).searchParams
      if (given.get('state') !== STATE) return `state came back as ${given.get('state')}`
      return given.get('iss') === baseUrl ? undefined : `iss is ${given.get('iss')}`
    }),
  },
]

interface ExpectedError extends Pick<Check, 'id' | 'title' | 'causes'> {
  readonly probe: string
  /** Default: the answer as it came. */
  readonly answered?: typeof answerTo
  readonly status: number
  readonly error: string
}

function errorCheck({ probe, answered = answerTo, status, error, ...check }: ExpectedError): Check {
  return {
    ...check,
    fix: UNCHANGED,
    examine: skippedWithout(answered(probe), (answer) => {
      const seen = memberOf(answer, 'error')
      if (answer.status !== status || seen !== error)
        return `the answer was ${answer.status} ${seen ?? 'without an error code'}`
      return memberOf(answer, 'error_description') === undefined ? 'error_description is missing' : undefined
    }),
  }
}

/** RFC 6750 3.1 has the code in the challenge; the guard of an API need not have it in the body. */
function badTokenFault(answer: HttpResponse): string | undefined {
  const [, inChallenge] = /\berror="([^"]*)"/.exec(headerOf(answer, 'www-authenticate')) ?? []
  const seen = memberOf(answer, 'error') ?? inChallenge
  if (answer.status === 401 && seen === 'invalid_token') return undefined
  return `the answer was ${answer.status} ${seen ?? 'without an error code'}`
}

function challengeFault(answer: HttpResponse): string | undefined {
  const challenge = headerOf(answer, 'www-authenticate')
  const [, url] = /resource_metadata="([^"]*)"/.exec(challenge) ?? []
  if (url === undefined) return `WWW-Authenticate is "${challenge}"`
  return URL.canParse(url) ? undefined : `resource_metadata is "${url}", which is not absolute`
}

function preflightFault(name: string, answer: HttpResponse): string | undefined {
  const credentials = headerOf(answer, 'access-control-allow-credentials') !== ''
  return firstComplaint([
    answer.status >= 300 && `${name}: the answer was ${answer.status}`,
    allowedOriginFault(name, answer),
    credentials && `${name} allows credentials`,
  ])
}
