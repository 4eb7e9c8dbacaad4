/** One load: the list is 200 KB, and a server that fetches nothing does not need it. */
let publicSuffixes: Promise<typeof import('tldts')> | undefined

/**
 * The name that somebody registered, or got at a shared host (https://publicsuffix.org, with its private part). A wildcard
 * in the DNS makes any number of hosts below it.
 */
export async function siteOf(id: string): Promise<string> {
  publicSuffixes ??= import('tldts')
  const { getDomain } = await publicSuffixes
  const { hostname } = new URL(id)
  return getDomain(hostname, { allowPrivateDomains: true }) ?? hostname
}
