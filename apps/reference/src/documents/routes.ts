import { KNOWN_CLIENTS, type KnownClient } from '@grantkit/known-clients'
import type { MountContext } from '@grantkit/server'
import {
  createRoute,
  json,
  OpenAPIHono,
  type RouteConfig,
  revalidatedText,
  text,
} from '@grantkit/server/routes'
import type { SchoolRecords } from '../school/records.ts'
import { authMarkdown, type DescribedServer } from './auth-md.ts'
import { llmsText } from './llms-txt.ts'
import { pricingMarkdown } from './pricing.ts'
import { viewer } from './viewer.ts'

export interface DocumentsOptions {
  readonly context: Pick<MountContext, 'site' | 'metadata' | 'config'>
  readonly school: SchoolRecords
  /** The OpenAPI description of every route, including these. */
  readonly openApi: (known: readonly KnownClient[]) => string
}

type TextNow = () => string | Promise<string>

/** Documents for programs, generated from the running configuration. */
export function documents({ context, school, openApi }: DocumentsOptions): OpenAPIHono {
  const { site, metadata, config } = context
  const server = metadata as unknown as DescribedServer
  const { initialAccessTokens, knownClients } = config.features
  const known = KNOWN_CLIENTS.filter(
    ({ id, redirectUris }) => knownClients.includes(id) && redirectUris.length > 0,
  )
  const walkthrough = authMarkdown(server, config.lifetimes, known, config.features)
  const registers =
    server.registration_endpoint !== undefined && (initialAccessTokens ? 'with a token' : 'openly')
  const index = llmsText(server.issuer, registers, known)
  const app = new OpenAPIHono()
  // Describes all routes, so it is built at the first request. It takes milliseconds and does not change afterwards.
  let description: string | undefined
  addText(app, DESCRIPTION, 'application/json', () => (description ??= openApi(known)))
  addMarkdown(app, '/auth.md', 'authWalkthrough', 'How to get and use a token', () => walkthrough)
  addMarkdown(app, '/llms.txt', 'llmsText', 'Index of the content for agents', () => index)
  addMarkdown(app, '/pricing.md', 'pricing', 'What the school sells', () => pricingMarkdown(school))
  return app.route('/', viewer(site.basePath))
}

const DISCOVERY = { method: 'get' as const, tags: ['Discovery'], security: [{}] }

const DESCRIPTION = createRoute({
  ...{ ...DISCOVERY, path: '/openapi.json', operationId: 'openApi', summary: 'This description' },
  responses: {
    200: json('This description', { type: 'object' }),
    304: { description: 'It has not changed' },
  },
})

function addMarkdown(
  app: OpenAPIHono,
  path: string,
  operationId: string,
  summary: string,
  textNow: TextNow,
): void {
  const responses = { 200: text(summary, 'text/markdown') }
  const route = createRoute({ ...DISCOVERY, path, operationId, summary, responses })
  addText(app, route, 'text/markdown; charset=utf-8', textNow)
}

/** Adds a public text: the same for every caller, readable from every origin. */
function addText(app: OpenAPIHono, route: RouteConfig, type: string, textNow: TextNow): void {
  const headers = {
    'content-type': type,
    'cache-control': 'public, max-age=3600',
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
  }
  app.openapi(route, revalidatedText(textNow, headers))
}
