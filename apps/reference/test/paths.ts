import type { Service } from '@grantkit/server'
import { inspectRoutes } from 'hono/dev'

/** What runs around every request has this path. */
const EVERY_PATH = '/*'

/** All paths of the service, each once. */
export function pathsOf({ routes, app }: Pick<Service, 'routes' | 'app'>): string[] {
  const own = inspectRoutes(app).map(({ path }) => path)
  return [...new Set([...routes.map(({ path }) => path), ...own])].filter((path) => path !== EVERY_PATH)
}

/** The pages of the server and their scripts. The description is for authors of clients, so it does not have them. */
const FOR_PEOPLE = /^\w+ \/((admin|login|account|logout|why)(\/|$)|assets\/[\w-]+\.js$)/

/** All described methods and paths that something answers, but those that follow from others: HEAD and OPTIONS. */
export function operationsAt({ routes, app }: Pick<Service, 'routes' | 'app'>): string[] {
  const own = app.routes.map(({ method, path }) => `${method} ${path}`)
  const oauth = routes.flatMap(({ path, methods }) => methods.map((method) => `${method} ${path}`))
  return [...new Set([...own, ...oauth])].filter(
    (text) => !/^(ALL|HEAD|OPTIONS) /.test(text) && !FOR_PEOPLE.test(text),
  )
}
