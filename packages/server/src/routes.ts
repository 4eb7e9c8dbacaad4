/** For routes that a service mounts next to those of the server. */
export { jsonError, parseJson, prefetch, type WithBody } from './http/bodies-and-answers.ts'
export {
  challengeAnswer,
  errorAnswer,
  guardErrors,
  jsonAnswer,
  jsonBody,
  named,
  textAnswer,
  UNAVAILABLE,
} from './openapi/answers.ts'
export { type Description, describe, forAnybody } from './openapi/describe.ts'
export { type Markup, pageResponse, type Site } from './pages/page.ts'
