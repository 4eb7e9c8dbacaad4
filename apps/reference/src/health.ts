import type { HttpResponse, Route } from '@grantkit/core'
import { json, methodNotAllowed } from './http.ts'

/** `/healthz`: the process answers. `/readyz`: it can do its work, so send it some. */
export function healthRoutes(basePath: string, ready: () => Promise<boolean>): Route[] {
  return [
    probe(`${basePath}/healthz`, async () => status(200, 'ok')),
    probe(`${basePath}/readyz`, async () =>
      (await ready()) ? status(200, 'ready') : status(503, 'not ready'),
    ),
  ]
}

function probe(path: string, answer: () => Promise<HttpResponse>): Route {
  const methods = ['GET', 'HEAD']
  return {
    path,
    methods,
    async handle({ method }) {
      if (!methods.includes(method)) return methodNotAllowed(methods)
      const response = await answer()
      return method === 'HEAD' ? { ...response, body: '' } : response
    },
  }
}

function status(code: number, word: string): HttpResponse {
  return json(code, { status: word }, { 'cache-control': 'no-store' })
}
