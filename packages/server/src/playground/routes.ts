import { readFile } from 'node:fs/promises'
import type { OpenAPIHono } from '@hono/zod-openapi'
import { Hono } from 'hono'
import { asset } from '../http/bodies-and-answers.ts'
import { pageResponse, type Site } from '../http/page.ts'
import { type PlaygroundPage, playgroundMain } from './page.ts'

interface PlaygroundOptions extends Omit<PlaygroundPage, 'apis'> {
  readonly site: Site
  /** The OpenAPI descriptions of what the service serves. It is complete once requests arrive. */
  readonly described: () => OpenAPIHono['openAPIRegistry']['definitions']
}

export const PLAYGROUND_STYLE = await readFile(new URL('style.css', import.meta.url), 'utf8')
const SCRIPT = await readFile(new URL('playground.js', import.meta.url), 'utf8')

/**
 * An app in the browser that shows a developer each request of a sign-in. It has no privilege: it registers and asks its user as
 * any app does. Its routes are not in the OpenAPI document, which is for authors of clients.
 */
export function playground(options: PlaygroundOptions): Hono {
  return new Hono()
    .get('/playground', () => {
      const main = playgroundMain({ ...options, apis: readableApis(options) })
      return pageResponse(options.site, { title: 'Playground', main, script: 'playground.js', wide: true })
    })
    .get('/assets/playground.js', asset('text/javascript; charset=utf-8', SCRIPT))
}

/** The addresses that a request without parameters reads with an access token. */
function readableApis({ described, site }: PlaygroundOptions): readonly string[] {
  return described().flatMap((definition) => {
    if (definition.type !== 'route') return []
    const { method, path, security = [] } = definition.route
    const takesTokens = security.some((schemes) => Object.keys(schemes).length > 0)
    return method === 'get' && takesTokens && !path.includes('{') ? [site.basePath + path] : []
  })
}
