import { readFile } from 'node:fs/promises'
import type { AuthorizationServer } from '@grantkit/core'
import { type Pages, pages } from '@grantkit/pages'
import type { AccountRows } from '../accounts/account-rows.ts'

const STYLE = await readFile(new URL('style.css', import.meta.url), 'utf8')

interface Options {
  readonly basePath: string
  readonly accounts: Pick<AccountRows, 'find'>
  readonly metadata: () => AuthorizationServer['metadata']
}

/** The pages of `@grantkit/pages` in the brand of the school. */
export function schoolPages({ basePath, accounts, metadata }: Options): Pages {
  return pages({
    brand: {
      name: 'Harbour School',
      logo: new URL('icon.svg', import.meta.url),
      accent: '#0f5e59',
      style: STYLE,
      footer: [{ text: 'A demonstration service of Grantkit', href: `${basePath}/` }],
    },
    user: ({ subject }) => accounts.find(subject),
    links: {
      connectedApps: `${basePath}/account`,
      signOut: (returnTo) => `${basePath}/logout?${new URLSearchParams({ return_to: returnTo })}`,
      home: `${basePath}/`,
    },
    metadata,
  })
}
