import { relative } from 'node:path'
import { expect, it } from 'vitest'
import workspace from '../package.json' with { type: 'json' }
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

it('each script of the root installs what it needs, before anything else', () => {
  const { turbo, ...scripts } = workspace.scripts
  const installs =
    /^pnpm (install && |exec node scripts\/install-service\.js && |exec node scripts\/install-and-pack\.js$|--dir site install && |lint && )/
  expect(Object.entries(scripts).filter(([, script]) => !installs.test(script))).toEqual([])
})
