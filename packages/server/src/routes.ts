/** For routes that a service mounts next to those of the server. */

/** Of one version: `route()` adds to the OpenAPI document only what an application of the same class describes. */
export { createRoute, OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi'
export { jsonError, parseJson, prefetch, revalidatedText, type WithBody } from './http/bodies-and-answers.ts'
export { type Markup, pageResponse, type Site } from './http/page.ts'
export {
  challenged,
  error,
  form,
  guardErrors,
  header,
  json,
  page,
  type Responses,
  type Schema,
  text,
  UNAVAILABLE,
} from './http/responses.ts'
