import { relative } from 'node:path'
import { expect, it } from 'vitest'
import { publishablePackages, ROOT } from './packages/publishable.ts'

const REPOSITORY = 'https://github.com/grantkit/grantkit'

it.each(publishablePackages().map(({ manifest, folder }) => ({ ...manifest, folder })))(
  '$name says who made it, where its page is, and where to report a bug',
  ({ folder, ...manifest }) => {
    const directory = relative(ROOT, folder)
    expect(manifest).toMatchObject({
      author: 'The Grantkit authors',
      homepage: `${REPOSITORY}/tree/main/${directory}#readme`,
      repository: { type: 'git', url: `git+${REPOSITORY}.git`, directory },
      bugs: `${REPOSITORY}/issues`,
    })
  },
)
