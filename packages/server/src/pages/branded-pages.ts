import { readFile } from 'node:fs/promises'
import type { AuthorizationServer } from '@grantkit/core'
import { type Brand, type Pages, pages } from '@grantkit/pages'
import type { AccountRows } from '../accounts/account-rows.ts'

const STYLE = await readFile(new URL('style.css', import.meta.url), 'utf8')

interface Options {
  readonly brand: Brand
  readonly basePath: string
  readonly accounts: Pick<AccountRows, 'find'>
  readonly metadata: () => AuthorizationServer['metadata']
  /** Present if an application signs the users in. */
  readonly signIn?: { readonly url: string } | undefined
}

/**
 * The pages of `@grantkit/pages` in the brand of the service, with links to its account pages.
 *
 * @param style of pages that the others would only load in vain
 */
export function brandedPages({ brand, basePath, accounts, metadata, signIn }: Options, style = ''): Pages {
  return pages({
    brand: { ...brand, style: STYLE + style + (brand.style ?? ''), footer: footerBelow(basePath, brand) },
    user: ({ subject }) => accounts.find(subject),
    links: {
      connectedApps: `${basePath}/account`,
      signOut: (returnTo) => `${basePath}/logout?${new URLSearchParams({ return_to: returnTo })}`,
      home: `${basePath}/`,
      signInAt: signIn && [new URL(signIn.url).origin],
    },
    metadata,
  })
}

/** Links that begin with a slash are paths below the base URL. */
function footerBelow(basePath: string, { footer = [] }: Brand): Brand['footer'] {
  return footer.map(({ text, href }) => ({ text, href: href.startsWith('/') ? basePath + href : href }))
}
