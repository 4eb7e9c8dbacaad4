import type { HttpRequest, HttpResponse, Route } from '@grantkit/core'
import { methodNotAllowed } from './http.ts'

export type Answer = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>

/** The answers of a path by method. A HEAD is a GET without its body. */
export interface Answers {
  readonly GET: Answer
  readonly POST?: Answer
}

/** A route for a path of the service itself. Any other method gets a 405 that lists the allowed ones. */
export function methodsRoute(path: string, answers: Answers): Route {
  const methods = ['GET', 'HEAD', ...(answers.POST ? ['POST'] : [])]
  return {
    path,
    methods,
    async handle(request) {
      if (request.method === 'GET') return answers.GET(request)
      if (request.method === 'HEAD') return { ...(await answers.GET(request)), body: '' }
      if (request.method === 'POST' && answers.POST) return answers.POST(request)
      return methodNotAllowed(methods)
    },
  }
}
