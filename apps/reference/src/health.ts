import type { HttpResponse, Route } from '@grantkit/core'
import { json } from './http.ts'
import { methodsRoute } from './methods-route.ts'

/** `/healthz`: the process runs. `/readyz`: it can serve requests. */
export function healthRoutes(basePath: string, ready: () => Promise<boolean>): Route[] {
  return [
    methodsRoute(`${basePath}/healthz`, { GET: () => status(200, 'ok') }),
    methodsRoute(`${basePath}/readyz`, {
      GET: async () => ((await ready()) ? status(200, 'ready') : status(503, 'not ready')),
    }),
  ]
}

function status(code: number, word: string): HttpResponse {
  return json(code, { status: word }, { 'cache-control': 'no-store' })
}
