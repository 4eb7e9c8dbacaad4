import { createHash } from 'node:crypto'
import type { AuthorizationServer, HttpResponse, Route } from '@grantkit/core'
import { headerOf } from '../http.ts'
import { methodsRoute } from '../methods-route.ts'
import { openApiDocument } from '../openapi/document.ts'
import type { SchoolRecords } from '../school/records.ts'
import { authMarkdown, type DescribedLifetimes, type DescribedServer } from './auth-md.ts'
import { llmsText } from './llms-txt.ts'
import { pricingMarkdown } from './pricing.ts'
import { viewerRoutes } from './viewer.ts'

export interface DocumentsOptions {
  readonly basePath: string
  readonly server: Pick<AuthorizationServer, 'metadata' | 'description'>
  readonly lifetimes: DescribedLifetimes
  readonly school: SchoolRecords
}

const MARKDOWN = 'text/markdown; charset=utf-8'

/** Documents for machines, made from the running configuration. */
export function documentRoutes({ basePath, server, lifetimes, school }: DocumentsOptions): Route[] {
  const metadata = server.metadata as unknown as DescribedServer
  const openApi = JSON.stringify(openApiDocument(metadata.issuer, server.description))
  const walkthrough = authMarkdown(metadata, lifetimes)
  const index = llmsText(metadata.issuer, metadata.registration_endpoint !== undefined)
  return [
    textRoute(`${basePath}/openapi.json`, 'application/json', () => openApi),
    textRoute(`${basePath}/auth.md`, MARKDOWN, () => walkthrough),
    textRoute(`${basePath}/llms.txt`, MARKDOWN, () => index),
    textRoute(`${basePath}/pricing.md`, MARKDOWN, () => pricingMarkdown(school)),
    ...viewerRoutes(basePath),
  ]
}

/** A public text: the same for everybody, readable from every origin, revalidated by its hash. */
function textRoute(path: string, type: string, textNow: () => string | Promise<string>): Route {
  return methodsRoute(path, {
    async GET(request) {
      const response = textResponse(type, await textNow())
      const known = headerOf(request, 'if-none-match') === response.headers.etag
      return known ? { ...response, status: 304, body: '' } : response
    },
  })
}

function textResponse(type: string, body: string): HttpResponse {
  const headers = {
    'content-type': type,
    'cache-control': 'public, max-age=3600',
    etag: `"${createHash('sha256').update(body).digest('base64url')}"`,
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
  }
  return { status: 200, headers, body }
}
