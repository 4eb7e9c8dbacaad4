import { DEVELOPER_ONLY, type VerdictTexts } from './verdict-text.ts'

/** Requests that cannot be read. */
export const MESSAGE_VERDICTS = {
  message_invalid: {
    by: 'app',
    sentence: 'A parameter of the request is missing or malformed; the description of the error names it.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Send each parameter once, with a valid value. `error_description` names the wrong one.',
  },
  media_type_unsupported: {
    by: 'app',
    sentence: 'The app sent the body in a media type that this endpoint does not read.',
    fix: DEVELOPER_ONLY,
    toDeveloper:
      'Send `application/x-www-form-urlencoded` to the token endpoint, and `application/json` to the registration endpoint.',
    doctorCheck: 'token-error',
  },
  body_unreadable: {
    by: 'app',
    sentence: 'The body of the request is broken: it is cut off, or is not in the encoding that it names.',
    fix: 'If several apps have this error, look for a proxy that changes bodies.',
    toDeveloper: 'Check the encoding and the length of the body that your app sends.',
    doctorCheck: 'token-error',
  },
  body_too_large: {
    by: 'app',
    sentence: 'The body of the request is larger than the server reads.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Send a body of at most 64 KiB, without embedded images or keys that are not needed.',
  },
  parameters_too_many: {
    by: 'app',
    sentence: 'The request has more than 100 parameters.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Send only the parameters of the specification, at most 100.',
  },
  method_not_allowed: {
    by: 'app',
    sentence: 'The app called an endpoint with a method that it does not have.',
    fix: 'If the app sends a POST, look for a proxy that redirects: most clients repeat a redirected POST as a GET.',
    toDeveloper:
      'Send a POST to the token endpoint, without following redirects, and open the authorization endpoint in a browser.',
    doctorCheck: 'endpoints',
  },
  form_of_another_site: {
    by: 'network',
    sentence: 'The browser says that the form came from a page of another site, so nothing was decided.',
    fix: 'If this happens to all users, a proxy changes `Origin` or the public URL is wrong: set `baseUrl` (`BASE_URL`). Otherwise an unknown site sent the form.',
    toDeveloper: 'Open the authorization endpoint in a browser, and never send the forms of its pages.',
    doctorCheck: 'endpoints',
  },
} as const satisfies VerdictTexts
