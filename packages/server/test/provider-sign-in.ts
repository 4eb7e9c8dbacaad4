import { createMemoryStore } from '@grantkit/store-memory'
import { type TestProviderOptions, testProvider } from '@grantkit/testkit/provider'
import * as z from 'zod'
import { type Purpose, upstreamSignIn } from '../src/accounts/upstream/upstream-sign-in.ts'
import { Provider } from '../src/config/providers.ts'

/** A sign-in with the double of a provider, in the process. */

export const BASE_URL = 'https://school.example'
const PURPOSE: Purpose = { returnTo: '/account', wishes: {}, linkFor: '' }

/** @param settings beside those that the double needs */
export function openSignIn(options: TestProviderOptions = {}, settings: object = {}) {
  const op = testProvider(options)
  const provider = Provider(z.string().min(1)).parse({ ...op.settings, ...settings })
  const fetch = (url: string, init: object) => op.fetch(url, init)
  const signIn = upstreamSignIn(provider, {
    secret: 'x'.repeat(32),
    baseUrl: BASE_URL,
    store: createMemoryStore(),
    fetch,
  })
  /** What the browser brings back, by GET or by POST. */
  async function answered() {
    const { location, cookies } = await signIn.begin(undefined, PURPOSE)
    // The way to the provider is the browser's: it arrives also where the provider is down for this server.
    const response = await op.visit(location)
    const page = await response.text()
    const fields = [...page.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name ?? '',
      unescaped(value ?? ''),
    ])
    const posted = String(new URLSearchParams(fields as [string, string][]))
    const target = response.headers.get('location')
    return {
      location: new URL(location),
      query: target === null ? posted : new URL(target).search,
      cookies: cookies[0]?.split(';')[0] ?? '',
    }
  }
  return {
    op,
    provider,
    fetch,
    signIn,
    answered,
    /** The whole sign-in. */
    async identity() {
      const { cookies, query } = await answered()
      return (await signIn.finish(cookies, query)).identity
    },
    /** The requests of the double to this path. */
    requestsTo: (path: string) => op.requests.filter(({ url }) => url.pathname.endsWith(path)),
  }
}

function unescaped(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
}
