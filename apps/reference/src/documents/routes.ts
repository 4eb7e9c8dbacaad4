import { createHash } from 'node:crypto'
import { KNOWN_CLIENTS } from '@grantkit/core/known-clients'
import type { MountContext } from '@grantkit/server'
import { describe, forAnybody, jsonAnswer, textAnswer } from '@grantkit/server/routes'
import { Hono, type MiddlewareHandler } from 'hono'
import { etag, RETAINED_304_HEADERS } from 'hono/etag'
import type { SchoolRecords } from '../school/records.ts'
import { authMarkdown, type DescribedServer } from './auth-md.ts'
import { llmsText } from './llms-txt.ts'
import { pricingMarkdown } from './pricing.ts'
import { viewer } from './viewer.ts'

export interface DocumentsOptions {
  readonly context: Pick<MountContext, 'site' | 'metadata' | 'config'>
  readonly school: SchoolRecords
  /** The OpenAPI description of every route, including these. */
  readonly openApi: () => string
}

type TextNow = () => string | Promise<string>

/** Documents for programs, generated from the running configuration. */
export function documents({ context, school, openApi }: DocumentsOptions): Hono {
  const { site, metadata, config } = context
  const server = metadata as unknown as DescribedServer
  const { profile, knownClients } = config.features
  const known = KNOWN_CLIENTS.filter(
    ({ id, redirectUris }) => knownClients.includes(id) && redirectUris.length > 0,
  )
  const walkthrough = authMarkdown(server, config.lifetimes, known, profile)
  const index = llmsText(server.issuer, server.registration_endpoint !== undefined, known)
  const app = new Hono()
  addText(app, '/openapi.json', 'application/json', DESCRIPTION, openApi)
  addMarkdown(app, '/auth.md', 'authWalkthrough', 'How to get and use a token', () => walkthrough)
  addMarkdown(app, '/llms.txt', 'llmsText', 'Index of the content for agents', () => index)
  addMarkdown(app, '/pricing.md', 'pricing', 'What the school sells', () => pricingMarkdown(school))
  return app.route('/', viewer(site.basePath))
}

const DESCRIPTION = describe(
  forAnybody('Discovery', 'openApi', 'This description', {
    200: jsonAnswer('This description', { type: 'object' }),
    304: { description: 'It has not changed' },
  }),
)

function addMarkdown(app: Hono, path: string, operationId: string, summary: string, textNow: TextNow): void {
  const answers = { 200: textAnswer(summary, 'text/markdown') }
  const description = describe(forAnybody('Discovery', operationId, summary, answers))
  addText(app, path, 'text/markdown; charset=utf-8', description, textNow)
}

/** Headers that scripts of other origins need, and that a 304 of Hono leaves out. */
const revalidated = etag({
  retainedHeaders: [...RETAINED_304_HEADERS, 'access-control-allow-origin', 'x-content-type-options'],
})

/** Adds a public text: the same for every caller, readable from every origin, revalidated by its ETag. */
function addText(
  app: Hono,
  path: string,
  type: string,
  description: MiddlewareHandler,
  textNow: TextNow,
): void {
  app.get(path, description, revalidated, async (c) => {
    const body = await textNow()
    return c.body(body, 200, {
      'content-type': type,
      'cache-control': 'public, max-age=3600',
      etag: `"${createHash('sha256').update(body).digest('base64url')}"`,
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
    })
  })
}
