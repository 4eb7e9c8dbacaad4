/** The endpoints of the authorization server as http-api.md shows them, read from its OpenAPI document. */
import { createAuthorizationServer, newSigningKeys } from '@grantkit/core'
import { authorizationDetails } from '@grantkit/core/authorization-details'
import { backchannelAuthentication } from '@grantkit/core/backchannel-authentication'
import { clientAssertion } from '@grantkit/core/client-assertion'
import { clientCredentials } from '@grantkit/core/client-credentials'
import { device } from '@grantkit/core/device'
import { dpop } from '@grantkit/core/dpop'
import { formPost } from '@grantkit/core/form-post'
import { forwardAuth } from '@grantkit/core/forward-auth'
import { jwtAccessTokens, revocationFeed } from '@grantkit/core/jwt-access-tokens'
import { jwtBearer } from '@grantkit/core/jwt-bearer'
import { logout } from '@grantkit/core/logout'
import { organizations } from '@grantkit/core/organizations'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { requestObjects } from '@grantkit/core/request-objects'
import { signedResponses } from '@grantkit/core/signed-responses'
import { tokenExchange } from '@grantkit/core/token-exchange'
import { pages } from '@grantkit/pages'
import { createMemoryStore } from '@grantkit/store-memory'
import * as z from 'zod'
import { oauthEndpoints, openApiDocument } from '../apps/reference/src/openapi/document.ts'

const ISSUER = 'https://notes.example'
const SCOPES = {
  openid: { description: 'Know who you are' },
  'notes:read': { description: 'Read your notes', access: 'read' },
} as const
const ui = pages({ brand: { name: 'Notes' } })

/** With every feature of core that has an endpoint or a parameter. */
const { description: mounted } = createAuthorizationServer({
  issuer: ISSUER,
  store: createMemoryStore(),
  scopes: SCOPES,
  secret: crypto.randomUUID(),
  keys: await newSigningKeys(),
  stepUp: { classes: ['mfa'] },
  claims: async () => ({}),
  interaction: {
    ...ui.interaction,
    session: async () => undefined,
    signIn: () => ({ status: 303, headers: {}, body: '' }),
  },
  features: [
    jwtAccessTokens({ resources: { [ISSUER]: {} } }),
    revocationFeed(),
    clientAssertion(),
    clientCredentials(),
    dpop(),
    forwardAuth(),
    tokenExchange(),
    jwtBearer({ idJag: { trustOf: () => undefined, subjectOf: async () => undefined } }),
    pushedAuthorizationRequests(),
    formPost(ui.formPost),
    requestObjects(),
    signedResponses(),
    organizations({ of: () => [] }),
    authorizationDetails({ types: { payment: { schema: z.object({}), describe: () => 'Pay' } } }),
    device(ui.device),
    backchannelAuthentication({ pages: ui.requests, userOf: async () => undefined }),
    logout({ ...ui.logout, endSession: async () => '' }),
  ],
})

interface Operation {
  readonly summary?: string
  readonly description?: string
  readonly parameters?: readonly { readonly name?: string; readonly in?: string }[]
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }
  readonly responses: Readonly<Record<string, { readonly description?: string }>>
}

interface Schema {
  readonly $ref?: string
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, unknown>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** What every endpoint may answer, and the page says once. */
const COMMON = ['304', '413', '415', '431', '503']

/** A section for each endpoint: its parameters and its responses. */
export function httpTable(): string {
  const server = { baseUrl: ISSUER, scopes: SCOPES, resources: [], known: [], mounted }
  const described = { ...server, bindsTokens: true, signsRequests: true, registersWithToken: false }
  const info = { title: 'Grantkit', version: '1', description: '' }
  const { paths, components } = openApiDocument(oauthEndpoints(described), described, info) as Document
  return Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        return section(`${method.toUpperCase()} ${path}`, operation, components.schemas)
      }),
    )
    .join('\n\n')
}

function section(name: string, operation: Operation, schemas: Document['components']['schemas']): string {
  const { summary, description, responses } = operation
  const sent = parametersOf(operation, schemas)
  const own = Object.entries(responses).filter(([status]) => !COMMON.includes(status))
  return [
    `## \`${name}\``,
    [summary, description]
      .filter(Boolean)
      .map((text) => `${text}`.replace(/\.?$/, '.'))
      .join(' '),
    ...(sent.length === 0 ? [] : [`Parameters: ${sent.map((parameter) => `\`${parameter}\``).join(', ')}.`]),
    own.map(([status, { description: text = '' }]) => `- ${status}: ${text}`).join('\n'),
  ].join('\n\n')
}

/** The names of the query, the headers and the body; of a union the names of all its kinds. */
function parametersOf(
  { parameters = [], requestBody }: Operation,
  schemas: Document['components']['schemas'],
) {
  const bodies = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => namesOf(schema, schemas))
  return [...new Set([...parameters.flatMap(({ name }) => name ?? []), ...bodies])]
}

function namesOf(schema: Schema = {}, schemas: Document['components']['schemas']): string[] {
  const named = schema.$ref === undefined ? schema : schemas[schema.$ref.split('/').at(-1) ?? '']
  const kinds = named?.oneOf?.flatMap((kind) => namesOf(kind, schemas)) ?? []
  return [...kinds, ...Object.keys(named?.properties ?? {})]
}
