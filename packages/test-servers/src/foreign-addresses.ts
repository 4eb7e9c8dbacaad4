/** Addresses that a careless sign-in takes for a path of its own site. */
const FOREIGN_ADDRESSES = [
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r/evil.example',
  'https:evil.example',
  'https://evil.example',
  'javascript:alert(1)',
  '/.//evil.example',
  '//user@evil.example',
  '/\uff0f/evil.example',
]

/**
 * Signs in as Alice with each foreign address to return to, in the query and in the form.
 *
 * @param signIn the URL that the form of the sign-in is sent to
 * @returns where the browser would go, without the paths of the site itself
 */
export async function foreignTargetsOf(signIn: string): Promise<string[]> {
  const { origin } = new URL(signIn)
  const targets = FOREIGN_ADDRESSES.map(async (to) => {
    const body = new URLSearchParams({ user: 'alice', password: 'wonderland', to })
    const query = new URLSearchParams({ to })
    const answer = await fetch(`${signIn}?${query}`, { method: 'POST', body, redirect: 'manual' })
    const location = answer.headers.get('location') ?? `a ${answer.status} without a target`
    return new URL(location, signIn)
  })
  const left = (url: URL) => url.origin !== origin || url.pathname.startsWith('//')
  return (await Promise.all(targets)).filter(left).map(String)
}
