import { type Browser, formBrowser } from '@grantkit/testkit/client'

/** A simulated user, who signs in and answers on the pages of the service. */
export function user(baseUrl: string, email = 'demo@example.com', password = 'demo'): Browser {
  return formBrowser({ origin: baseUrl, typed: { email, password } })
}
