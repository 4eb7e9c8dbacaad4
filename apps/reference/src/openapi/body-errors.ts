import { errorAnswer, TOO_MANY, textAnswer, UNAVAILABLE } from './operation.ts'

const MEDIA_TYPE_REFUSED = errorAnswer(
  'Another media type',
  'invalid_request',
  'The body must be application/x-www-form-urlencoded in UTF-8',
)
const TOO_LARGE = errorAnswer('The body is too large', 'invalid_request', 'The body is larger than 64 KiB')
export const HEADERS_TOO_LARGE = errorAnswer(
  'The query is larger than 16 KiB together with the headers',
  'invalid_request',
  'This is not an HTTP request',
)
/** The errors of the form of a page. */
export const FORM_REFUSED = {
  '413': TOO_LARGE,
  '415': textAnswer('A page: another media type', 'text/html'),
  '431': HEADERS_TOO_LARGE,
}
/** The errors of every endpoint that reads a body. */
export const BODY_ERRORS = {
  '413': TOO_LARGE,
  '415': MEDIA_TYPE_REFUSED,
  '429': TOO_MANY,
  '503': UNAVAILABLE,
}
