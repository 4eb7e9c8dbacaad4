import { type Check, firstComplaint, orSkipped, skippedWithout } from './check.ts'
import {
  allowedOriginFault,
  documentOf,
  type Evidence,
  listed,
  type Metadata,
  memberOf,
  metadata,
} from './evidence.ts'

const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

export const readMetadata = orSkipped(metadata, 'the server metadata cannot be read')

/** The documents that clients read first. */
export const METADATA_CHECKS: readonly Check[] = [
  {
    id: 'server-metadata',
    causes: 'never_requested',
    title: 'The server metadata can be read (RFC 8414 3)',
    fix: 'Let the proxy pass /.well-known/ at the root of the host, path inserted after it, through to the service.',
    examine: ({ answers }) => unreadable(answers.serverMetadata),
  },
  {
    id: 'openid-configuration',
    causes: 'never_requested',
    title: 'The OpenID configuration can be read (OpenID Connect Discovery 4)',
    fix: 'Let the proxy pass /.well-known/openid-configuration below the base path through to the service.',
    examine: ({ answers }) => unreadable(answers.openIdConfiguration),
  },
  {
    id: 'issuer',
    causes: 'never_requested',
    title: 'The issuer is the same everywhere, byte for byte (RFC 8414 3.3)',
    fix: 'Set the base URL of the service to the address that clients use, with the same scheme, case and slashes.',
    examine: ({ baseUrl, answers }) =>
      firstComplaint([
        differs('the server metadata', memberOf(answers.serverMetadata, 'issuer'), baseUrl),
        differs('the OpenID configuration', memberOf(answers.openIdConfiguration, 'issuer'), baseUrl),
        differs(
          'the resource metadata',
          memberOf(answers.resourceMetadata, 'authorization_servers'),
          baseUrl,
        ),
      ]),
  },
  {
    id: 'resource-metadata',
    causes: 'never_requested',
    title: 'The protected-resource metadata describes the resource (RFC 9728 3.3)',
    fix: 'If the base URL is no resource of the server, name one by --resource; if it is, let the proxy pass its well-known address through.',
    examine: ({ baseUrl, resource = baseUrl, answers }) =>
      unreadable(answers.resourceMetadata) ??
      differs('resource', memberOf(answers.resourceMetadata, 'resource'), resource),
  },
  {
    id: 'endpoints',
    causes: 'sign_in_repeated',
    title: 'Every endpoint is at the address that clients use',
    fix: 'Behind a TLS proxy the base URL is the https address outside; it is never taken from a request.',
    examine: skippedWithout(readMetadata, (document, { baseUrl }) => {
      const { origin } = new URL(baseUrl)
      const endpoints = Object.entries(document).filter(
        ([name]) => name.endsWith('_endpoint') || name === 'jwks_uri',
      )
      const foreign = endpoints.find(([, url]) => !String(url).startsWith(`${origin}/`))
      return foreign && `${foreign[0]} is ${foreign[1]}`
    }),
  },
  {
    id: 'pkce',
    causes: 'challenge_method_unsupported',
    title: 'PKCE is S256 and nothing else (RFC 9700 2.1.1)',
    fix: 'Offer S256 only: plain gives the verifier away.',
    examine: skippedWithout(readMetadata, (document) => {
      const methods = listed(document, 'code_challenge_methods_supported').join(' ')
      return methods === 'S256' ? undefined : `code_challenge_methods_supported is "${methods}"`
    }),
  },
  {
    id: 'device-grant',
    causes: 'grant_type_unsupported',
    title: 'The device grant is offered whole, or not at all (RFC 8628 3.1, 4)',
    fix: 'Name device_authorization_endpoint where grant_types_supported has the grant, and let its answers pass.',
    examine: (evidence) => {
      const document = metadata(evidence) ?? {}
      const granted = listed(document, 'grant_types_supported').includes(DEVICE_CODE_GRANT)
      const endpoint = document.device_authorization_endpoint !== undefined
      if (granted !== endpoint) return granted ? 'it has no endpoint' : 'only its endpoint is named'
      const seen = memberOf(evidence.answers.unknownDevice, 'error')
      return endpoint && seen !== 'invalid_client' ? `an unknown client is answered ${seen}` : undefined
    },
  },
  {
    id: 'client-authentication',
    causes: 'client_auth_method_mismatch',
    title: 'The ways to authenticate fit what is offered (RFC 8414 2)',
    fix: 'List the signing algorithms together with private_key_jwt; with client_credentials, offer private_key_jwt or client_secret_basic.',
    examine: skippedWithout(readMetadata, authenticationFault),
  },
  {
    id: 'keys',
    causes: 'keys_unavailable',
    title: 'The key set shows public keys, each with kid and alg (RFC 7517)',
    fix: 'Publish only the public members of each key, with its kid and alg.',
    examine: skippedWithout(
      orSkipped(({ answers }) => answers.keys, 'there is no key set at this origin, or no answer'),
      (answer, evidence) =>
        unreadable(answer) ??
        keyFault(documentOf(answer), listed(metadata(evidence) ?? {}, 'scopes_supported').includes('openid')),
    ),
  },
  {
    id: 'metadata-cors',
    causes: 'never_requested',
    title: 'Scripts of any origin may read the documents',
    fix: 'Send Access-Control-Allow-Origin: * with the documents, from the service alone: a proxy neither removes it nor adds another one.',
    examine: ({ answers }) =>
      firstComplaint(
        ['serverMetadata', 'resourceMetadata', 'keys'].map((name) => {
          const answer = answers[name]
          return answer?.status === 200 && allowedOriginFault(name, answer)
        }),
      ),
  },
]

/** Clients of MCP that act for themselves know two methods (its extension for client credentials). */
const CLIENT_CREDENTIALS_METHODS = ['private_key_jwt', 'client_secret_basic']

function authenticationFault(document: Metadata): string | undefined {
  const methods = listed(document, 'token_endpoint_auth_methods_supported')
  const algorithms = listed(document, 'token_endpoint_auth_signing_alg_values_supported')
  const clientCredentials = listed(document, 'grant_types_supported').includes('client_credentials')
  return firstComplaint([
    methods.includes('private_key_jwt') && algorithms.length === 0 && 'private_key_jwt has no algorithms',
    algorithms.includes('none') && 'an unsigned assertion is taken',
    clientCredentials &&
      !CLIENT_CREDENTIALS_METHODS.some((method) => methods.includes(method)) &&
      `client_credentials has neither ${CLIENT_CREDENTIALS_METHODS.join(' nor ')}`,
  ])
}

function unreadable(answer: Evidence['answers'][string]): string | undefined {
  if (answer === undefined) return 'there was no answer that is in time, unencoded and below 1 MiB'
  if (answer.status !== 200) return `the answer was ${answer.status}`
  return documentOf(answer) === undefined ? 'the answer was not JSON' : undefined
}

function differs(where: string, seen: string | undefined, expected: string): string | undefined {
  return seen === undefined || seen === expected ? undefined : `${where} says ${seen}, not ${expected}`
}

/** @param needed by ID tokens; a server without OpenID Connect may sign nothing */
function keyFault(document: Metadata | undefined, needed: boolean): string | undefined {
  const keys = [document?.keys ?? []].flat() as Record<string, unknown>[]
  if (keys.length === 0) return needed ? 'there is no key' : undefined
  const secret = keys.some((key) => ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'].some((member) => member in key))
  if (secret) return 'a private key is shown to everybody'
  return keys.every(({ kid, alg }) => kid && alg) ? undefined : 'a key has no kid or no alg'
}
